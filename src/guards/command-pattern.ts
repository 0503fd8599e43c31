import { nameOf } from "./shell-nested.ts";
import type { ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** "maybe": something that is only known when it runs could make it match. */
export type Match = "yes" | "maybe" | "no";

/**
 * Whether a command is what a pattern is meant to catch, for rules that ask or deny. The program's folder does not matter, nor do
 * options between the words: `git push:*` catches `/usr/bin/git -C x push`. Which options take a value is not known here, so a
 * word behind an option may be one or not.
 */
export function catchesCommand(pattern: string, command: ShellCommand): Match {
  if (isEverything(pattern)) return "yes";
  if (isWildcard(pattern)) return toRegExp(pattern).test(textOf(command)) ? "yes" : "no";
  const isPrefix = pattern.endsWith(":*");
  const wanted = wordsOf(isPrefix ? pattern.slice(0, -2) : pattern);
  const name = nameOf(command);
  if (name === undefined) return "maybe";
  if (wanted[0] !== name && wanted[0] !== command.words[0]?.value) return "no";
  return isPrefix ? catchWords(wanted.slice(1), command.words.slice(1), false) : equalWords(wanted.slice(1), command.words.slice(1));
}

/**
 * Whether a command is exactly what a pattern allows: the words as they stand, in the environment as it is. A program of the same
 * name elsewhere, or one with changed variables, is another program.
 */
export function allowsCommand(pattern: string, command: ShellCommand): boolean {
  if (isEverything(pattern)) return true;
  if (command.hasAssignments) return false;
  if (isWildcard(pattern)) return command.words.every(isKnown) && toRegExp(pattern).test(textOf(command));
  const isPrefix = pattern.endsWith(":*");
  const wanted = wordsOf(isPrefix ? pattern.slice(0, -2) : pattern);
  if (!isPrefix && wanted.length !== command.words.length) return false;
  return wanted.every((word, i) => command.words[i]?.value === word);
}

/** A pattern that is no pattern: the tool's every call. */
export function isEverything(pattern: string): boolean {
  return pattern === "" || pattern === "*" || pattern === ":*";
}

function isWildcard(pattern: string): boolean {
  return pattern.replace(/:\*$/, "").includes("*");
}

function catchWords(wanted: readonly string[], words: readonly ShellWord[], afterOption: boolean): Match {
  const [next, ...others] = wanted;
  if (next === undefined) return "yes";
  const [word, ...rest] = words;
  if (word === undefined) return "no";
  if (word.value === undefined) return afterOption ? catchWords(wanted, rest, false) : "maybe";
  if (word.value === next) {
    const taken = catchWords(others, rest, false);
    if (taken !== "no") return taken;
  }
  if (/^[-+]./.test(word.value)) return catchWords(wanted, rest, !word.value.includes("="));
  return afterOption ? catchWords(wanted, rest, false) : "no";
}

function equalWords(wanted: readonly string[], words: readonly ShellWord[]): Match {
  if (words.some((word) => !isKnown(word))) return words.every((word, i) => !isKnown(word) || word.value === wanted[i]) ? "maybe" : "no";
  return wanted.length === words.length && wanted.every((word, i) => words[i]?.value === word) ? "yes" : "no";
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}

function isKnown(word: ShellWord): boolean {
  return word.value !== undefined;
}

function textOf(command: ShellCommand): string {
  return [nameOf(command) ?? command.words[0]?.text ?? "", ...command.words.slice(1).map((word) => word.value ?? word.text)].join(" ");
}

function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/:\*$/, "*").replace(/[\\^$+?.()|[\]{}*]/g, (token) => (token === "*" ? ".*" : `\\${token}`));
  return new RegExp(`^${source}$`, "s");
}
