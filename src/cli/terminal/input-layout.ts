import stringWidth from "string-width";
import { graphemes } from "./wrap.ts";

/** What the input line shows. `text` is free of control characters but newlines. */
export interface InputView {
  readonly prompt: string;
  readonly text: string;
  /** An index into `text`. */
  readonly cursor: number;
}

export interface InputRows {
  readonly rows: readonly string[];
  /** Where the cursor stands, from 0. */
  readonly row: number;
  readonly column: number;
}

/** Breaks the input into rows narrower than `columns`, of which at most `most` around the cursor are shown. */
export function layoutInput({ prompt, text, cursor }: InputView, columns: number, most: number): InputRows {
  const indent = Math.min(stringWidth(prompt), Math.floor(columns / 2));
  const room = Math.max(2, columns - indent - 1);
  const rows = [""];
  let width = 0;
  let at = 0;
  let place = { row: 0, column: indent };
  for (const char of [...graphemes(text), ""]) {
    const charWidth = stringWidth(char);
    const breaks = char === "\n" || width + charWidth > room;
    if (breaks && char !== "\n") newRow();
    if (at <= cursor) place = { row: rows.length - 1, column: indent + width };
    if (breaks && char === "\n") newRow();
    else append(char, charWidth);
    at += char.length;
  }
  const first = Math.max(0, Math.min(place.row - most + 1, rows.length - most));
  const shown = rows.slice(first, first + most);
  return {
    rows: shown.map((row, i) => (first + i === 0 ? prompt : " ".repeat(indent)) + row),
    row: place.row - first,
    column: place.column,
  };

  function newRow(): void {
    rows.push("");
    width = 0;
  }
  function append(char: string, charWidth: number): void {
    rows[rows.length - 1] += char;
    width += charWidth;
  }
}
