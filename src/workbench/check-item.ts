import type { Language } from "../i18n/catalogue.ts";
import type { Check } from "./check.ts";
import { type ExpectationLine, expectationToText, parseExpectation } from "./expectation.ts";
import { markdownLines, opensFence, tidy } from "./markdown-lines.ts";
import { splitSlashes } from "./sections.ts";
import { escapeMarks, renderMark, takeMarks, unescapeMarks } from "./unverifiable-mark.ts";

/** A checklist item as it was read. */
export interface ReadItem {
  readonly check: Check;
  /** `=>` lines that nobody understands; they stay in the text. */
  readonly problems: readonly string[];
}

const COMMAND = /^[ \t]*\$[ \t]+(\S.*)$/s;
const EXPECTATION = /^[ \t]*=>(.*)$/s;

/** The lines of a list item without marker and indentation: text, mark, `$ command`, `=> expectation`. */
export function checkToLines(check: Check, language: Language): string[] {
  const source = markdownLines(tidy(check.text).trim(), "text");
  const lines = source.map((line, index) => (line.fenced ? line.text : escapeTextLine(line.text, index === 0)));
  if (check.unverifiableReason !== undefined)
    addMark(lines, renderMark(check.unverifiableReason.trim(), language), source[0]?.fenced === true);
  if (check.command !== undefined) lines.push(`$ ${check.command.trim()}`);
  const expectation = expectationToText(check);
  if (expectation !== "") lines.push(`=> ${expectation}`);
  return lines;
}

/** Reads the lines of an item back; undefined when there is nothing in it. */
export function linesToCheck(lines: readonly string[]): ReadItem | undefined {
  const reading: Reading = { text: [], reasons: [], problems: [] };
  markdownLines(lines.join("\n")).forEach((line, index) => {
    if (line.fenced) reading.text.push(line.text);
    else if (index === 0 || !readHardLine(line.text, reading)) readTextLine(line.text, index === 0, reading);
  });
  const reason = reading.reasons.filter((each) => each !== "").join("; ");
  const text = tidy(reading.text.join("\n")).trim() || reading.command || reason;
  if (text === "") return undefined;
  const { command, line } = reading;
  const check = { text, ...(command === undefined ? {} : { command }), ...line, ...(reason === "" ? {} : { unverifiableReason: reason }) };
  return { check, problems: reading.problems };
}

interface Reading {
  readonly text: string[];
  readonly reasons: string[];
  readonly problems: string[];
  command?: string;
  line?: ExpectationLine;
}

/** The first command counts, and the first expectation behind it. */
function readHardLine(text: string, reading: Reading): boolean {
  const command = reading.command === undefined ? COMMAND.exec(text)?.[1] : undefined;
  if (command !== undefined) {
    reading.command = command.trim();
    return true;
  }
  const expectation = reading.command !== undefined && !reading.line ? EXPECTATION.exec(text)?.[1] : undefined;
  if (expectation === undefined) return false;
  reading.line = parseExpectation(expectation.trim());
  if (!reading.line) reading.problems.push(`This expectation is not understood: ${text.trim()}`);
  return reading.line !== undefined;
}

function readTextLine(text: string, first: boolean, reading: Reading): void {
  const { rest, reasons } = takeMarks(text);
  reading.reasons.push(...reasons);
  if (reasons.length > 0 && rest.trim() === "") return;
  reading.text.push(unescapeMarks(unescapeTextLine(rest, first)));
}

/** Behind a single line of text, else on a line of its own. */
function addMark(lines: string[], mark: string, fenced: boolean): void {
  if (lines.length === 1 && !fenced) lines[0] += ` ${mark}`;
  else lines.push(mark);
}

function escapeTextLine(line: string, first: boolean): string {
  const text = escapeMarks(line);
  const { indent, slashes, rest } = splitSlashes(text);
  return isMeant(indent, rest, first) ? `${indent}\\${slashes}${rest}` : text;
}

function unescapeTextLine(line: string, first: boolean): string {
  const { indent, slashes, rest } = splitSlashes(line);
  return slashes !== "" && isMeant(indent, rest, first) ? indent + slashes.slice(1) + rest : line;
}

/** True for text that would be read as something else: a task box at the beginning, a command, an expectation, a fence. */
function isMeant(indent: string, rest: string, first: boolean): boolean {
  return (first ? /^\[[ xX]\](?:\s|$)/ : /^(?:\$[ \t]|=>)/).test(rest) || opensFence(indent + rest);
}
