import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

const WIDEST = 110;
const NARROWEST = 24;
const TAB = "    ";
const MARKER = /^(?:[-*+•] +|\d{1,3}[.)] +)/;

const segmenter = new Intl.Segmenter();

/** The columns a block of text may use in a terminal of that width: comfortable to read, never absurdly narrow. */
export function textColumns(terminal: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, terminal));
}

/** The user-perceived characters of a text. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Wraps plain text. No line is wider than `width` columns; indentation and list markers hang. */
export function wrapText(text: string, width: number): string[] {
  return text
    .replaceAll("\t", TAB)
    .split("\n")
    .flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const marker = MARKER.exec(line.slice(indent.length))?.[0] ?? "";
  const lead = indent + marker;
  if (lead.length > width / 2) return wrapPlain(line.trim(), width);
  const rows = wrapPlain(line.slice(lead.length), width - lead.length);
  return rows.map((row, i) => ((i === 0 ? lead : " ".repeat(lead.length)) + row).trimEnd());
}

function wrapPlain(line: string, width: number): string[] {
  const rows = wrapAnsi(line, width, { hard: true }).split("\n");
  return rows.flatMap((row) => (stringWidth(row) > width ? chop(row, width) : [row]));
}

/** Cuts between code points, for the rare "character" (stacked jamo, spacing marks) that is wider than a whole line. */
function chop(row: string, width: number): string[] {
  const rows = [""];
  for (const char of row) {
    const longer = rows[rows.length - 1] + char;
    if (stringWidth(longer) > width) rows.push(char);
    else rows[rows.length - 1] = longer;
  }
  return rows;
}

/** One line of plain text in at most `width` columns; a cut is shown as `…`. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const char of graphemes(text)) {
    used += stringWidth(char);
    if (used > width) break;
    kept += char;
  }
  return `${kept}…`;
}

/** At most `max` of the lines, then one that says how many more there were. */
export function firstLines(lines: readonly string[], max: number, indent = ""): readonly string[] {
  return lines.length <= max + 1 ? lines : [...lines.slice(0, max), `${indent}… +${lines.length - max}`];
}

/** Fills up with spaces to `width` columns; styles in the text do not count. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
