import { stat } from "node:fs/promises";
import { type Roots, resolvePath } from "../tools/builtin/paths.ts";
import { GLANCE_COMMANDS, type GlanceCommand } from "./glance-commands.ts";
import { GLANCE_GIT } from "./glance-git.ts";
import { type SyntaxNode, withShellTree } from "./shell-parser.ts";
import { folderBelow, readShellScript, type ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";
import { VERSION_QUESTIONS } from "./version-questions.ts";

/**
 * Whether a command only looks, at what lies in the workspace: it writes nothing, runs nothing of its own, reads nothing outside,
 * does not print the environment, and ends by itself. Decided by an allow-list of commands and their options, on the shell's own
 * syntax; what is not understood is no glance.
 */
export async function isGlance(command: string, roots: Roots): Promise<boolean> {
  if (!(await withShellTree(command, isPlain))) return false;
  const script = await readShellScript(command);
  if (!script || script.commands.length === 0 || script.commands.some((one) => one.hasAssignments)) return false;
  if (script.writes.some((write) => write.target.value !== "/dev/null")) return false;
  for (const one of script.commands) if (!(await looksOnly(one, roots))) return false;
  return true;
}

const PLAIN_NODES: ReadonlySet<string> = new Set([
  ...[
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "redirected_statement",
    "file_redirect",
    "file_descriptor",
    "negated_command",
  ],
  ...["word", "number", "string", "string_content", "raw_string", "concatenation", "comment", "extglob_pattern"],
  ...[";", "\n", "&&", "||", "|", "!", '"', ">", ">>", "2>", ">&", "&>", "&>>"],
]);

/** Only words, quotes, lists, pipes and redirections: no variable, substitution, loop, function, here-document, background job. */
function isPlain(node: SyntaxNode): boolean {
  return PLAIN_NODES.has(node.type) && node.children.every(isPlain);
}

async function looksOnly({ words, cwd }: ShellCommand, roots: Roots): Promise<boolean> {
  const [name, ...args] = words;
  if (name?.value === undefined || args.some((word) => word.value === undefined || word.text.startsWith("~"))) return false;
  if (name.isGlob || cwd === undefined || !(await isInside(".", cwd, roots))) return false;
  const texts = args.map((word) => word.value as string); // none is undefined
  if (name.value === "cd") return texts.length === 1 && !texts[0]?.startsWith("-") && isInside(texts[0] ?? "", cwd, roots);
  if (texts.length === 1 && Object.hasOwn(VERSION_QUESTIONS, name.value) && VERSION_QUESTIONS[name.value]?.includes(texts[0] ?? ""))
    return true;
  if (name.value === "sed") return isLineRange(texts) && arePaths(args.slice(2), cwd, roots);
  const sub = name.value === "git" ? texts[0] : undefined;
  const rule = sub === undefined ? ownEntry(GLANCE_COMMANDS, name.value) : ownEntry(GLANCE_GIT, sub);
  if (!rule) return false;
  const paths = pathOperands(sub === undefined ? args : args.slice(1), rule);
  if (paths === undefined || !(await arePaths(paths, cwd, roots))) return false; // a commit's name, too, is read as a path that stays inside
  return rule.operands !== "files" || !(await anyFolder(paths, cwd, roots));
}

function ownEntry(table: Readonly<Record<string, GlanceCommand>>, name: string): GlanceCommand | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `sed -n 10,20p file`: the one use of sed that is known to do nothing but print. */
function isLineRange(texts: readonly string[]): boolean {
  return texts[0] === "-n" && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(texts[1] ?? "") && texts.slice(2).every((text) => !text.startsWith("-"));
}

/** The words that are paths; undefined when an option is not on the list or there are operands where none may be. */
function pathOperands(args: readonly ShellWord[], rule: GlanceCommand): readonly ShellWord[] | undefined {
  const operands: ShellWord[] = [];
  let hasPattern = rule.operands !== "pattern";
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as ShellWord; // within bounds
    const text = word.value ?? "";
    if (text === "--") {
      operands.push(...args.slice(i + 1));
      break;
    }
    const taken = rule.words ? readWord(text, rule.words) : readOption(text, rule);
    if (taken === undefined) return undefined;
    if (taken === "operand") operands.push(word);
    else {
      if (word.isGlob) return undefined; // what it becomes is not known
      if (/^-[a-zA-Z]*e|^--(?:regexp|files$)/.test(text)) hasPattern = true;
      if (taken === "next" && (++i >= args.length || args[i]?.isGlob)) return undefined;
    }
  }
  switch (rule.operands) {
    case "text":
      return [];
    case "format":
      return operands.every((word) => word.value?.startsWith("+")) ? [] : undefined;
    case "none":
      return operands.length === 0 ? [] : undefined;
    case "one":
      return operands.length > 1 || operands.some((word) => word.isGlob) ? undefined : operands;
    case "pattern":
      if (hasPattern) return operands;
      return operands[0]?.isGlob ? undefined : operands.slice(1); // the shell would make paths of the pattern
    default:
      return operands;
  }
}

/** Whether a word is an operand, an option by itself, or one whose value is the next word; undefined when it is not allowed. */
type Taken = "operand" | "alone" | "next" | undefined;

function readWord(text: string, words: readonly string[]): Taken {
  if (words.includes(text)) return "alone";
  if (words.includes(`${text}=`)) return "next";
  return text.startsWith("-") ? undefined : "operand";
}

function readOption(text: string, rule: GlanceCommand): Taken {
  if (!text.startsWith("-") || text === "-") return "operand";
  if (text.startsWith("--")) return readLong(text, rule.long ?? []);
  if (rule.digits && /^-\d+$/.test(text)) return "alone";
  const { flags = "", valued = "" } = rule;
  for (let i = 1; i < text.length; i++) {
    const letter = text[i] as string; // within bounds
    if (valued.includes(letter)) return i === text.length - 1 ? "next" : "alone";
    if (!flags.includes(letter)) return undefined;
  }
  return "alone";
}

function readLong(text: string, long: readonly string[]): Taken {
  const equals = text.indexOf("=");
  if (equals > 0) return long.includes(text.slice(0, equals + 1)) ? "alone" : undefined;
  if (long.includes(text)) return "alone";
  return long.includes(`${text}=`) ? "next" : undefined;
}

const MOST_MATCHES = 2_000;

async function arePaths(words: readonly ShellWord[], cwd: string, roots: Roots): Promise<boolean> {
  for (const word of words) {
    const path = word.value ?? "";
    if (path === "-" || path === "") continue;
    if (!word.isGlob) {
      if (!(await isInside(path, cwd, roots))) return false;
      continue;
    }
    if (path.startsWith("/") || path.split("/").includes("..")) return false;
    const { glob } = await import("tinyglobby");
    const matches = await glob(path, {
      cwd: `${roots.workspace}/${cwd}`,
      onlyFiles: false,
      expandDirectories: false,
      followSymbolicLinks: true,
      dot: true,
    });
    if (matches.length > MOST_MATCHES) return false;
    for (const match of matches) if (!(await isInside(match, cwd, roots)) || match.startsWith("-")) return false;
  }
  return true;
}

async function anyFolder(words: readonly ShellWord[], cwd: string, roots: Roots): Promise<boolean> {
  for (const { value = "", isGlob } of words) {
    if (isGlob) return true;
    if ((await stat(`${roots.workspace}/${cwd}/${value}`).catch(() => undefined))?.isDirectory()) return true;
  }
  return false;
}

async function isInside(path: string, cwd: string, roots: Roots): Promise<boolean> {
  const below = folderBelow(cwd, path);
  const resolved = below === undefined ? undefined : await resolvePath(below, roots);
  return typeof resolved === "object" && resolved.inside;
}
