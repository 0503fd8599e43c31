import { parseJson } from "../core/json.ts";
import { readPatternLiteral, toPattern } from "./pattern.ts";

/** What must be seen after a hard check's command has ended. Everything given must hold. */
export interface Expectation {
  /** Exit code; 0 when not given. */
  readonly exit?: number;
  readonly stdoutContains?: readonly string[];
  /** A regular expression, `/source/flags`. A bare source is accepted and written as such a literal. */
  readonly stdoutMatches?: string;
  /** Paths, relative to the workspace, that exist afterwards. */
  readonly creates?: readonly string[];
}

/** What a `=>` line says. */
export interface ExpectationLine {
  readonly expect?: Expectation;
  readonly inPlace?: true;
}

/** Longer lines are not read as expectations. */
export const LONGEST_EXPECTATION = 10_000;

/** `exit 0; stdout contains "<h1>"; creates a.html`, or "" when nothing is to be said. Never translated. */
export function expectationToText(line: { readonly expect?: Expectation; readonly inPlace?: boolean }): string {
  const { exit, stdoutContains = [], stdoutMatches, creates = [] } = line.expect ?? {};
  return [
    ...(exit === undefined ? [] : [`exit ${exit}`]),
    ...stdoutContains.map((text) => `stdout contains ${JSON.stringify(text)}`),
    ...(stdoutMatches === undefined ? [] : [`stdout matches ${toPattern(stdoutMatches) ?? stdoutMatches}`]),
    ...creates.map((path) => `creates ${isPlainPath(path) ? path : JSON.stringify(path)}`),
    ...(line.inPlace ? ["in place"] : []),
  ].join("; ");
}

/** Reads what {@link expectationToText} writes, and what people write like it; undefined when any of it is not understood. */
export function parseExpectation(text: string): ExpectationLine | undefined {
  if (text.length > LONGEST_EXPECTATION) return undefined;
  const found: Found = { stdoutContains: [], creates: [] };
  let at = skip(/\s*/y, text, 0);
  if (at === text.length) return undefined;
  while (at < text.length) {
    const end = readClause(text, at, found);
    if (end === undefined) return undefined;
    const next = skip(/\s*(?:;\s*|$)/y, text, end);
    if (next === end && next < text.length) return undefined;
    at = next;
  }
  return toLine(found);
}

interface Found {
  exit?: number;
  readonly stdoutContains: string[];
  stdoutMatches?: string;
  readonly creates: string[];
  inPlace?: true;
}

/** Reads one clause into `found`; gives where it ends. */
function readClause(text: string, at: number, found: Found): number | undefined {
  return readExit(text, at, found) ?? readTexts(text, at, found) ?? readMatches(text, at, found) ?? readInPlace(text, at, found);
}

function readExit(text: string, at: number, found: Found): number | undefined {
  const match = matchAt(/exit\s+(\d{1,3})\b/y, text, at);
  const code = Number(match?.[1]);
  if (!match || found.exit !== undefined || code > 255) return undefined;
  found.exit = code;
  return at + match[0].length;
}

function readTexts(text: string, at: number, found: Found): number | undefined {
  const match = matchAt(/(stdout\s+contains|creates)\s+(?:("(?:[^"\\]|\\.)*")|([^\s;"][^;]*))/y, text, at);
  if (!match) return undefined;
  const [whole, clause, quoted, bare] = match;
  const value = quoted === undefined ? bare?.trim() : parseJson(quoted);
  if (typeof value !== "string" || value === "") return undefined;
  if (clause === "creates") found.creates.push(value);
  else if (quoted === undefined) return undefined;
  else found.stdoutContains.push(value);
  return at + whole.length;
}

function readMatches(text: string, at: number, found: Found): number | undefined {
  const match = matchAt(/stdout\s+matches\s+/y, text, at);
  const literal = match && readPatternLiteral(text, at + match[0].length);
  const pattern = literal && toPattern(literal);
  if (!match || !literal || !pattern || found.stdoutMatches !== undefined) return undefined;
  found.stdoutMatches = String(pattern);
  return at + match[0].length + literal.length;
}

function readInPlace(text: string, at: number, found: Found): number | undefined {
  const match = matchAt(/in\s+place\b/y, text, at);
  if (!match) return undefined;
  found.inPlace = true;
  return at + match[0].length;
}

function toLine(found: Found): ExpectationLine {
  const { exit, stdoutContains, stdoutMatches, creates, inPlace } = found;
  const expect: Expectation = {
    ...(exit === undefined ? {} : { exit }),
    ...(stdoutContains.length === 0 ? {} : { stdoutContains }),
    ...(stdoutMatches === undefined ? {} : { stdoutMatches }),
    ...(creates.length === 0 ? {} : { creates }),
  };
  return { ...(Object.keys(expect).length === 0 ? {} : { expect }), ...(inPlace ? { inPlace } : {}) };
}

function isPlainPath(path: string): boolean {
  return /^[\p{L}\p{N}_.@+/-]+$/u.test(path);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skip(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}
