import type { ShellWord } from "./shell-word.ts";

/** A path in a command's words, and what happens to it. */
export interface Change {
  readonly target: ShellWord;
  readonly kind: "write" | "append" | "destroy";
}

export function all(words: readonly ShellWord[], kind: Change["kind"]): readonly Change[] {
  return operands(words).map((target) => ({ target, kind }));
}

/** What is no option; after `--` everything. */
export function operands(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex((word) => word.value === "--");
  const before = end === -1 ? words : words.slice(0, end);
  return [...before.filter((word) => !/^-./.test(word.value ?? "")), ...(end === -1 ? [] : words.slice(end + 1))];
}

/** The values of options, named as `-o --output`: as the next word, behind `=`, or right behind the letter, also in a cluster. */
export function after(words: readonly ShellWord[], options: string, kind: Change["kind"] = "write"): readonly Change[] {
  const names = options.split(" ");
  const letters = names.filter((name) => /^-[A-Za-z]$/.test(name)).map((name) => name.slice(1));
  const cluster = new RegExp(`^-[A-Za-z]*?[${letters.join("") || "."}](.*)$`, "s");
  return words.flatMap((word, i): Change[] => {
    const [name = "", joined] = (word.value ?? "").split(/=(.*)/s);
    const behind = letters.length > 0 && !name.startsWith("--") ? cluster.exec(word.value ?? "")?.[1] : undefined;
    if (!names.includes(name) && behind === undefined) return [];
    const value = names.includes(name) ? joined : behind;
    const target = value === undefined || value === "" ? words[i + 1] : { ...word, value };
    return target === undefined ? [] : [{ target, kind }];
  });
}

/** The n-th of what is no option, from 0. */
export function nth(words: readonly ShellWord[], place: number): readonly Change[] {
  return operands(words)
    .slice(place, place + 1)
    .map((target) => ({ target, kind: "write" }));
}

/** Some option is among the words: a letter, also in a cluster, or a long one. */
export function hasOption(words: readonly ShellWord[], option: RegExp): boolean {
  return words.some((word) => option.test(word.value ?? ""));
}
