import { basename } from "node:path";
import { folderBelow, readShellScript, type ShellCommand, type ShellWrite } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** Commands that run the command in their arguments. */
const WRAPPERS: ReadonlySet<string> = new Set(
  (
    "env command builtin exec coproc nohup nice ionice chrt taskset time timeout stdbuf setsid unshare nsenter chroot xargs parallel watch strace " +
    "ltrace flock script find fd sudo doas su pkexec run0 runuser busybox npx bunx pnpx uvx pipx trap ssh unbuffer faketime systemd-run entr dbus-run-session " +
    "xvfb-run caffeinate corepack npm pnpm yarn bun uv poetry pipenv bundle mise direnv nix"
  ).split(" "),
);
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash"]);
const INTERPRETERS: ReadonlySet<string> = new Set(["python", "python3", "node", "deno", "bun", "perl", "ruby", "php", "pwsh"]);
const DOWNLOADERS: ReadonlySet<string> = new Set(["curl", "wget", "http", "https", "aria2c", "fetch", "nc"]);
const DEEPEST = 4;
const MOST_FORMS = 2_000;

/** All that a script would run, as far as it is written out. */
export interface ShellReading {
  /** The script's own commands. */
  readonly commands: readonly ShellCommand[];
  /** The same, and in further forms: what `env`, `xargs`, `bash -c` and their like run. */
  readonly allForms: readonly ShellCommand[];
  readonly writes: readonly ShellWrite[];
  /** Why something in it cannot be known before it runs; empty when all is plain. */
  readonly obscure: readonly string[];
}

/** Reads a script with everything nested in it; undefined when it cannot be parsed. */
export async function readShell(script: string, cwd: string | undefined = ".", depth = 0): Promise<ShellReading | undefined> {
  const outer = await readShellScript(script, cwd);
  if (outer === undefined) return undefined;
  const reading = { allForms: [...outer.commands], writes: [...outer.writes], obscure: outer.commands.flatMap(obscurity) };
  for (const command of outer.commands) {
    reading.allForms.push(...unwrap(command));
    for (const inner of innerScripts(command)) await addInner(inner.script, { ...command, cwd: inner.cwd }, reading, depth);
  }
  return { commands: outer.commands, ...reading };
}

interface Growing extends Omit<ShellReading, "commands"> {
  readonly allForms: ShellCommand[];
  readonly writes: ShellWrite[];
  readonly obscure: string[];
}

async function addInner(inner: string, command: ShellCommand, reading: Growing, depth: number): Promise<void> {
  const read = depth < DEEPEST ? await readShell(inner, command.cwd, depth + 1) : undefined;
  if (read === undefined) {
    if (isShellLike(command)) reading.obscure.push(`it runs a script that cannot be read: ${inner.slice(0, 80)}`);
    return;
  }
  reading.allForms.push(...read.allForms);
  reading.writes.push(...read.writes);
  if (isShellLike(command)) reading.obscure.push(...read.obscure);
}

/** The command's name without its folder; undefined when it is not written out. */
export function nameOf(command: Pick<ShellCommand, "words">): string | undefined {
  const value = command.words[0]?.value;
  return value === undefined ? undefined : basename(value);
}

/** What a wrapper could be running: where its own options end is not known here, so each rest of its words counts. */
function unwrap(command: ShellCommand): readonly ShellCommand[] {
  const name = nameOf(command);
  if (name === undefined || !WRAPPERS.has(name)) return [];
  let { cwd } = command;
  let wrapper = name;
  const variables = [...command.variables];
  const forms = command.words.slice(1, MOST_FORMS).map((word, i) => {
    const before = command.words[i];
    const maybe = basename(before?.value ?? "");
    if (WRAPPERS.has(maybe)) wrapper = maybe;
    if (/^\w+=/.test(before?.value ?? "")) variables.push(before as ShellWord); // `env X=1 cmd`
    cwd = folderOfOption(wrapper, before, word, cwd);
    return { ...command, cwd, variables: [...variables], words: upToEnd(command.words.slice(i + 1), wrapper) };
  });
  return forms.filter((form) => form.words.length > 0);
}

/** What `find` and its like run ends at `;` or `+`. */
function upToEnd(words: readonly ShellWord[], wrapper: string): readonly ShellWord[] {
  if (wrapper !== "find" && wrapper !== "fd") return words;
  const end = words.findIndex((word) => word.value === ";" || word.value === "+");
  return end === -1 ? words : words.slice(0, end);
}

/** `env -C dir cmd`, `env --chdir=dir cmd`, `sudo -D dir cmd`: what comes behind runs there. */
function folderOfOption(wrapper: string, before: ShellWord | undefined, word: ShellWord, cwd: string | undefined): string | undefined {
  const letter = wrapper === "env" ? "C" : wrapper === "sudo" ? "D" : undefined;
  if (letter === undefined) return cwd;
  if (new RegExp(`^(?:-[a-z0]*${letter}|--chdir)$`).test(before?.value ?? ""))
    return word.value === undefined ? undefined : folderBelow(cwd, word.value);
  const joined = new RegExp(`^(?:-[a-z0]*${letter}|--chdir=)(.+)$`, "s");
  const folder = joined.exec(word.value ?? word.text)?.[1];
  if (folder === undefined) return cwd;
  return word.value === undefined ? undefined : folderBelow(cwd, folder);
}

function isShellLike(command: ShellCommand): boolean {
  return [command, ...unwrap(command)].some((form) => {
    const name = nameOf(form);
    return name !== undefined && (SHELLS.has(name) || name === "eval");
  });
}

interface InnerScript {
  readonly script: string;
  readonly cwd: string | undefined;
}

/** Scripts in a command's words: of `bash -c`, of `eval`, and any argument of a wrapper that is more than one word. */
function innerScripts(command: ShellCommand): readonly InnerScript[] {
  const forms = [command, ...unwrap(command)];
  const scripts = forms.flatMap((form, i): readonly InnerScript[] => {
    const name = nameOf(form) ?? "";
    const rest = form.words.slice(1);
    const found: string[] = [];
    if (name === "eval" && rest.every(isKnown)) found.push(rest.map((word) => word.value).join(" "));
    if (SHELLS.has(name)) found.push(...knownValues(scriptWord(form)));
    if (i > 0) found.push(...knownValues(form.words[0]).filter((value) => /\s/.test(value)));
    return found.map((script) => ({ script, cwd: form.cwd }));
  });
  return [...new Map(scripts.map((inner) => [JSON.stringify(inner), inner])).values()];
}

/** The word after `-c` (or `-lc` …). */
function scriptWord(form: ShellCommand): ShellWord | undefined {
  const flag = form.words.findIndex((word, i) => i > 0 && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.value ?? ""));
  return flag === -1 ? undefined : form.words.slice(flag + 1).find((word) => !/^[-+]/.test(word.value ?? ""));
}

function knownValues(word: ShellWord | undefined): readonly string[] {
  return word?.value === undefined ? [] : [word.value];
}

function isKnown(word: ShellWord): boolean {
  return word.value !== undefined;
}

/** What in a command cannot be known before it runs. */
function obscurity(command: ShellCommand): readonly string[] {
  const reasons: string[] = [];
  const first = command.words[0];
  if (first !== undefined && (first.value === undefined || first.isGlob) && first.text !== "[")
    reasons.push(`the command's name is not written out: ${first.text}`);
  const runsBuiltins = BUILTIN_RUNNERS.has(nameOf(command) ?? "");
  for (const form of [command, ...unwrap(command)]) {
    if (form === command || runsBuiltins) reasons.push(...sourcing(form));
    reasons.push(...formObscurity(form));
  }
  return [...new Set(reasons)];
}

/** Wrappers that run what only the shell itself can: to the others `.` is a folder. */
const BUILTIN_RUNNERS: ReadonlySet<string> = new Set(["command", "builtin", "time", "coproc", "exec"]);

function sourcing(form: ShellCommand): readonly string[] {
  const name = nameOf(form);
  return (name === "source" || name === ".") && !form.words[1]?.value ? ["it runs a script that is not a file"] : [];
}

function formObscurity(form: ShellCommand): readonly string[] {
  const name = nameOf(form) ?? "";
  const rest = form.words.slice(1);
  if (name === "eval" && !rest.every(isKnown)) return ["it evaluates text that is not written out"];
  if (SHELLS.has(name)) return shellObscurity(form);
  if (INTERPRETERS.has(name) && form.pipedFrom.some((from) => DOWNLOADERS.has(basename(from)))) return [`it runs a download with ${name}`];
  return [];
}

function shellObscurity(form: ShellCommand): readonly string[] {
  const name = nameOf(form) ?? "shell";
  if (form.words.some((word, i) => i > 0 && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.value ?? ""))) {
    return scriptWord(form)?.value === undefined ? [`it gives ${name} a script that is not written out`] : [];
  }
  const script = form.words.slice(1).find((word) => !/^[-+]/.test(word.value ?? ""));
  const readsInput = script === undefined || form.words.some((word) => word.value === "-s");
  if (readsInput && form.readsScript) return [`it pipes text into ${name}`];
  return script !== undefined && script.value === undefined ? [`it gives ${name} a script that is not written out`] : [];
}
