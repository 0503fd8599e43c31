import pc from "picocolors";
import stringWidth from "string-width";
import type { Translate } from "../../i18n/catalogue.ts";
import { padEnd, truncate, wrapText } from "./wrap.ts";

export type Paint = (text: string) => string;

/** What every block needs to know of where it is printed. Texts given to the functions below are sanitised already. */
export interface Page {
  readonly t: Translate;
  readonly colors: ReturnType<typeof pc.createColors>;
  /** Columns a block may use. */
  readonly width: number;
}

export function createPage(t: Translate, color: boolean, width: number): Page {
  return { t, colors: pc.createColors(color), width };
}

/** `── title ─────────`, filled to the page. */
export function rule(page: Page, title: string, char: string): string {
  const head = `${char.repeat(2)} ${truncate(title, page.width - 8)} `;
  return head + char.repeat(Math.max(2, page.width - stringWidth(head)));
}

/** A block that stands out: a title in a frame open to the right, so that its text can be copied. */
export function framed(page: Page, title: string, lines: readonly string[], paint: Paint): string[] {
  const head = `╭─ ${truncate(title, page.width - 8)} `;
  return [
    paint(head + "─".repeat(Math.max(2, page.width - stringWidth(head)))),
    ...lines.map((line) => (line === "" ? paint("│") : `${paint("│")} ${line}`)),
    paint("╰─"),
  ];
}

/** Text wrapped behind a mark, each further line indented as wide as the mark. */
export function marked(page: Page, mark: string, text: string, paint: Paint = (plain) => plain): string[] {
  const indent = stringWidth(mark);
  return wrapText(text, page.width - indent).map((line, i) => (i === 0 ? mark : " ".repeat(indent)) + paint(line));
}

export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

/** Rows of wrapped cells in columns of the given widths, two spaces apart. */
export function table(rows: readonly (readonly Cell[])[], widths: readonly number[]): string[] {
  return rows.flatMap((row) => {
    const columns = row.map((cell, i) => wrapText(cell.text, widths[i] ?? 1));
    const height = Math.max(...columns.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => tableLine(row, columns, widths, line));
  });
}

function tableLine(row: readonly Cell[], columns: readonly (readonly string[])[], widths: readonly number[], line: number): string {
  const parts = row.map((cell, i) => {
    const text = columns[i]?.[line] ?? "";
    const last = i === row.length - 1;
    return (cell.paint ?? String)(last ? text : padEnd(text, widths[i] ?? 0));
  });
  return parts.join("  ").trimEnd();
}

const ROLE_COLORS = ["cyan", "green", "magenta", "blue", "yellow"] as const;

/** The colour of an agent: the same for the same name, in every run. */
export function roleColor(page: Page, agent: string): Paint {
  let hash = 0;
  for (const char of agent) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return page.colors[ROLE_COLORS[hash % ROLE_COLORS.length] ?? "cyan"];
}
