import type { Key } from "node:readline";
import { sanitize } from "./sanitize.ts";
import { graphemes } from "./wrap.ts";

/** A line being edited. `cursor` is an index into `text`, always between two characters as a person sees them. */
export interface Line {
  readonly text: string;
  readonly cursor: number;
  /** What was cut last; Ctrl+Y puts it back. */
  readonly cut: string;
}

export const EMPTY_LINE: Line = Object.freeze({ text: "", cursor: 0, cut: "" });

/** The line after one key, edited as in readline. A key without a meaning changes nothing. */
export function editLine(line: Line, char: string | undefined, key: Key): Line {
  const command = COMMANDS[commandName(key)];
  if (command) return command(line);
  return char !== undefined && !key.ctrl && !key.meta && !CONTROL.test(char) ? insert(line, char) : line;
}

/** Puts text at the cursor; of control characters only newlines stay. */
export function insert(line: Line, text: string): Line {
  const clean = sanitize(text).replaceAll("\t", "  ");
  return { ...line, text: line.text.slice(0, line.cursor) + clean + line.text.slice(line.cursor), cursor: line.cursor + clean.length };
}

/** The same cut buffer with another text, the cursor at its end. */
export function withText(line: Line, text: string): Line {
  return { ...line, text, cursor: text.length };
}

const CONTROL = /[\x00-\x1F\x7F-\x9F]/;

function commandName(key: Key): string {
  return `${key.ctrl ? "ctrl+" : ""}${key.meta ? "alt+" : ""}${key.name ?? ""}`;
}

type Command = (line: Line) => Line;
type Target = (line: Line) => number;

const move =
  (target: Target): Command =>
  (line) => ({ ...line, cursor: target(line) });

const erase =
  (target: Target): Command =>
  (line) => {
    const [from, to] = range(line, target);
    return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from };
  };

const cut =
  (target: Target): Command =>
  (line) => {
    const [from, to] = range(line, target);
    return from === to ? line : { ...erase(target)(line), cut: line.text.slice(from, to) };
  };

function range(line: Line, target: Target): [number, number] {
  const other = target(line);
  return other < line.cursor ? [other, line.cursor] : [line.cursor, other];
}

const charLeft: Target = ({ text, cursor }) => cursor - (graphemes(text.slice(0, cursor)).at(-1)?.length ?? 0);
const charRight: Target = ({ text, cursor }) => cursor + (graphemes(text.slice(cursor))[0]?.length ?? 0);
const start: Target = ({ text, cursor }) => text.slice(0, cursor).lastIndexOf("\n") + 1;
const end: Target = ({ text, cursor }) => {
  const newline = text.indexOf("\n", cursor);
  return newline < 0 ? text.length : newline;
};
const back =
  (pattern: RegExp): Target =>
  ({ text, cursor }) =>
    cursor - (pattern.exec(text.slice(0, cursor))?.[0].length ?? 0);
const wordLeft = back(/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u);
const argumentLeft = back(/\S*\s*$/);
const wordRight: Target = ({ text, cursor }) => cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);

const COMMANDS: Readonly<Record<string, Command | undefined>> = {
  left: move(charLeft),
  "ctrl+b": move(charLeft),
  right: move(charRight),
  "ctrl+f": move(charRight),
  home: move(start),
  "ctrl+a": move(start),
  end: move(end),
  "ctrl+e": move(end),
  "ctrl+left": move(wordLeft),
  "alt+left": move(wordLeft),
  "alt+b": move(wordLeft),
  "ctrl+right": move(wordRight),
  "alt+right": move(wordRight),
  "alt+f": move(wordRight),
  backspace: erase(charLeft),
  "ctrl+h": erase(charLeft),
  delete: erase(charRight),
  "ctrl+d": erase(charRight),
  "ctrl+k": cut(end),
  "ctrl+u": cut(start),
  "ctrl+w": cut(argumentLeft),
  "alt+backspace": cut(wordLeft),
  "alt+d": cut(wordRight),
  "ctrl+y": (line) => insert(line, line.cut),
  "alt+return": (line) => insert(line, "\n"),
};
