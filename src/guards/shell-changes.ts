import { nameOf, type ShellReading } from "./shell-nested.ts";
import type { ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** A path that a script changes. */
export interface ShellChange {
  readonly target: ShellWord;
  readonly cwd: string | undefined;
  /** "destroy": what is there is removed or moved away; "append": only added to. */
  readonly kind: "write" | "append" | "destroy";
  /** The command, or `>` for a redirection. */
  readonly by: string;
}

/** The paths that a script plainly changes: by redirection, and by the usual commands. Programs and scripts it starts are not seen. */
export function changesOf(reading: ShellReading): readonly ShellChange[] {
  const redirected = reading.writes.map(
    ({ target, cwd, isAppend }): ShellChange => ({ target, cwd, kind: isAppend ? "append" : "write", by: ">" }),
  );
  return [...redirected, ...reading.allForms.flatMap(commandChanges)];
}

type Reader = (words: readonly ShellWord[]) => readonly Change[];
interface Change {
  readonly target: ShellWord;
  readonly kind: ShellChange["kind"];
}

const READERS: Readonly<Record<string, Reader>> = {
  ...each("rm rmdir unlink shred srm", (words) => all(words, "destroy")),
  ...each("touch mkdir truncate mkfifo mknod chmod chown chgrp chattr setfacl", (words) => all(words, "write")),
  mv: (words) => moved(words, "destroy"),
  ...each("cp install ln rsync scp", (words) => moved(words, undefined)),
  tee: (words) => all(words, words.some((word) => word.value === "-a" || word.value === "--append") ? "append" : "write"),
  dd: (words) => assigned(words, /^of=/),
  ...each("sed gsed perl", inPlace),
  find: foundAndDeleted,
  curl: (words) => after(words, /^(?:-[a-zA-Z]*o|--output|--output-dir)$/),
  wget: (words) => after(words, /^(?:-[a-zA-Z]*[OPo]|--output-document|--directory-prefix)$/),
  tar: (words) => after(words, /^(?:-C|--directory)$/),
  unzip: (words) => after(words, /^-d$/),
  git: (words) => (["checkout", "restore", "rm", "mv"].includes(words[0]?.value ?? "") ? all(words.slice(1), "write") : []),
};

function commandChanges(command: ShellCommand): readonly ShellChange[] {
  const by = nameOf(command) ?? "";
  const reader = Object.hasOwn(READERS, by) ? READERS[by] : undefined;
  return (reader?.(command.words.slice(1)) ?? []).map((change) => ({ ...change, cwd: command.cwd, by }));
}

function each(names: string, reader: Reader): Record<string, Reader> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reader]));
}

function all(words: readonly ShellWord[], kind: ShellChange["kind"]): readonly Change[] {
  return operands(words).map((target) => ({ target, kind }));
}

/** What is no option; after `--` everything. */
function operands(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex((word) => word.value === "--");
  const before = end === -1 ? words : words.slice(0, end);
  return [...before.filter((word) => !/^-./.test(word.value ?? "")), ...(end === -1 ? [] : words.slice(end + 1))];
}

/** The last operand (or the folder of `-t`) is written; the others get `sources`. */
function moved(words: readonly ShellWord[], sources: ShellChange["kind"] | undefined): readonly Change[] {
  const folder = after(words, /^(?:-t|--target-directory)$/);
  const named = operands(words);
  const targets = folder.length > 0 ? folder : named.slice(-1).map((target): Change => ({ target, kind: "write" }));
  const from = named.filter((word) => !targets.some((change) => change.target === word));
  return [...targets, ...(sources === undefined ? [] : from.map((target): Change => ({ target, kind: sources })))];
}

/** The value of an option, as the next word or behind `=`. */
function after(words: readonly ShellWord[], option: RegExp): readonly Change[] {
  return words.flatMap((word, i): Change[] => {
    const [name = "", value] = (word.value ?? "").split(/=(.*)/s);
    if (!option.test(name)) return [];
    const target = value === undefined ? words[i + 1] : { ...word, value };
    return target === undefined ? [] : [{ target, kind: "write" }];
  });
}

function assigned(words: readonly ShellWord[], start: RegExp): readonly Change[] {
  return words
    .filter((word) => start.test(word.value ?? word.text))
    .map((word) => ({ target: { ...word, value: word.value?.replace(start, "") }, kind: "write" }));
}

const TAKES_SCRIPT = /^(?:-[a-zA-Z]*[ef]|--expression|--file)$/;

function inPlace(words: readonly ShellWord[]): readonly Change[] {
  if (!words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word.value ?? ""))) return [];
  const hasOption = words.some((word) => TAKES_SCRIPT.test(word.value ?? ""));
  const rest = words.filter((_, i) => !TAKES_SCRIPT.test(words[i - 1]?.value ?? ""));
  return all(hasOption ? rest : withoutFirstOperand(rest), "write");
}

function withoutFirstOperand(words: readonly ShellWord[]): readonly ShellWord[] {
  const first = operands(words)[0];
  return words.filter((word) => word !== first);
}

/** `find FOLDERS … -delete` or `-exec rm`. */
function foundAndDeleted(words: readonly ShellWord[]): readonly Change[] {
  if (!words.some((word) => /^(?:-delete|rm|mv|shred|unlink)$/.test(word.value ?? ""))) return [];
  const expression = words.findIndex((word) => /^[-(!]/.test(word.value ?? ""));
  return words.slice(0, expression === -1 ? words.length : expression).map((target) => ({ target, kind: "destroy" }));
}
