import { clip } from "../../messages/event.ts";

const MOST_LINE_CHARS = 2_000;
const NUMBER_WIDTH = 6;

/** The lines of a text. A line end at the very end does not begin another line; CRLF counts as one line end. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** One line as `cat -n` writes it, cut with a mark when it is very long. */
export function numberLine(line: string, number: number): string {
  const shown =
    line.length <= MOST_LINE_CHARS ? line : `${clip(line, MOST_LINE_CHARS)} … [${line.length - MOST_LINE_CHARS} more characters]`;
  return `${String(number).padStart(NUMBER_WIDTH)}\t${shown}`;
}

const CONTEXT_LINES = 3;
const MOST_SNIPPET_LINES = 40;

/** The numbered lines from `start` to `end` (character offsets into `text`) with a few around them. */
export function snippet(text: string, start: number, end: number): string {
  const lines = linesOf(text);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const first = Math.max(1, lineAt(start) - CONTEXT_LINES);
  const last = Math.min(lines.length, lineAt(Math.max(start, end)) + CONTEXT_LINES);
  const shown = lines.slice(first - 1, Math.min(last, first - 1 + MOST_SNIPPET_LINES)).map((line, i) => numberLine(line, first + i));
  if (last - first + 1 > MOST_SNIPPET_LINES) shown.push(`  … ${last - first + 1 - MOST_SNIPPET_LINES} more lines`);
  return shown.join("\n");
}
