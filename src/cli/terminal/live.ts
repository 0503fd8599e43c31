import stringWidth from "string-width";
import { type InputView, layoutInput } from "./input-layout.ts";

/** The part of a terminal's output stream that the live area uses. */
export interface TerminalOut {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: "resize" | "error", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface LiveAreaOptions {
  readonly out: TerminalOut;
  /** Where `TERM` and `NO_COLOR` are read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const SYNC_ON = "\x1b[?2026h";
const SYNC_OFF = "\x1b[?2026l";
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
const CLEAR_BELOW = "\x1b[J";
const CLEAR_SCREEN = "\x1b[2J\x1b[H";
const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
const MOST_INPUT_ROWS = 8;

interface Drawn {
  /** Columns that each row takes; what was cut off at the edge does not count. */
  readonly widths: readonly number[];
  readonly row: number;
  readonly column: number;
}

/**
 * A log that scrolls, with a status line and an input line that stay below it.
 *
 * 1. Log, status and input never mix: each change is one write that takes the area away, prints, and draws it again.
 *    The terminal's automatic wrapping is off while the area is drawn, so a wrongly measured character cannot shift it.
 * 2. When `out` is no terminal, or a dumb one, or `NO_COLOR` is set, `active` is false and only the log is written.
 * 3. `close()` takes the area away and leaves the terminal as it was; it also happens when the process exits.
 * 4. A reader that goes away (`flower | head`) ends the output, not the run.
 */
export class LiveArea {
  readonly active: boolean;
  readonly #out: TerminalOut;
  #status = "";
  #input: InputView | undefined;
  #drawn: Drawn | undefined;
  #pasteMode = false;
  #closed = false;
  #broken = false;
  readonly #onResize = () => this.#frame("");
  readonly #onExit = () => this.close();

  constructor({ out, env = process.env }: LiveAreaOptions) {
    this.#out = out;
    this.active = out.isTTY === true && env["TERM"] !== "dumb" && (env["NO_COLOR"] ?? "") === "";
    // Stays for good: an error that arrives after close() must not end the process either.
    out.on("error", () => {
      this.#broken = true;
    });
    if (!this.active) return;
    out.on("resize", this.#onResize);
    process.once("exit", this.#onExit);
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  /** Log lines, above the live area. */
  print(text: string): void {
    if (text !== "") this.#frame(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** The status line; "" takes it away. */
  status(line: string): void {
    if (line === this.#status) return;
    this.#status = line;
    if (this.active) this.#frame("");
  }

  /** The input line; undefined takes it away. */
  input(view: InputView | undefined): void {
    this.#input = view;
    if (this.active) this.#frame("");
  }

  /** Asks the terminal to mark what is pasted. */
  pasteMode(on: boolean): void {
    if (!this.active || on === this.#pasteMode) return;
    this.#pasteMode = on;
    this.#write(on ? PASTE_ON : PASTE_OFF);
  }

  /** An empty screen with only the live area. */
  clear(): void {
    if (!this.active || this.#closed) return;
    this.#drawn = undefined;
    this.#write(SYNC_ON + CLEAR_SCREEN + this.#draw() + SYNC_OFF);
  }

  /** Takes the live area away; what is printed afterwards is a plain log. */
  close(): void {
    if (this.#closed) return;
    this.pasteMode(false);
    const erase = this.#erase();
    if (erase !== "") this.#write(erase);
    this.#closed = true;
    this.#out.off("resize", this.#onResize);
    process.off("exit", this.#onExit);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #frame(text: string): void {
    if (!this.active || this.#closed) {
      if (text !== "") this.#write(text);
      return;
    }
    this.#write(SYNC_ON + this.#erase() + text + this.#draw() + SYNC_OFF);
  }

  #erase(): string {
    const drawn = this.#drawn;
    this.#drawn = undefined;
    if (!drawn) return "";
    const up = rowsAboveCursor(drawn, this.columns);
    return `\r${up > 0 ? `\x1b[${up}A` : ""}${CLEAR_BELOW}`;
  }

  #draw(): string {
    const lines = this.#status === "" ? [] : [this.#status];
    const most = Math.max(1, Math.min(MOST_INPUT_ROWS, (this.#out.rows || 24) - 3));
    const input = this.#input && layoutInput(this.#input, this.columns, most);
    if (input) lines.push(...input.rows);
    if (lines.length === 0) return "";
    const row = input ? lines.length - input.rows.length + input.row : lines.length - 1;
    const column = input ? input.column : 0;
    this.#drawn = { widths: lines.map((line) => Math.min(stringWidth(line), this.columns)), row, column };
    const up = lines.length - 1 - row;
    return `${WRAP_OFF}${lines.join("\n")}${WRAP_ON}\r${up > 0 ? `\x1b[${up}A` : ""}${column > 0 ? `\x1b[${column}C` : ""}`;
  }

  #write(text: string): void {
    if (!this.#broken) this.#out.write(text);
  }
}

/** Terminals that became narrower have wrapped what was drawn: a row may now stand on several. */
function rowsAboveCursor(drawn: Drawn, columns: number): number {
  const above = drawn.widths.slice(0, drawn.row).map((width) => Math.max(1, Math.ceil(width / columns)));
  return above.reduce((sum, rows) => sum + rows, 0) + Math.floor(drawn.column / columns);
}
