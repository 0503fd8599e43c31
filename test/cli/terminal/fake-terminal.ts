import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";

/** A keyboard: a stream that says it is a terminal and remembers its mode. */
export class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  raw = false;
  kept = true;

  setRawMode(on: boolean): this {
    this.raw = on;
    return this;
  }
  ref(): this {
    this.kept = true;
    return this;
  }
  unref(): this {
    this.kept = false;
    return this;
  }
}

/** A screen that obeys the few sequences the live area uses, and throws at any other. It never scrolls anything away. */
export class FakeScreen extends EventEmitter {
  readonly isTTY = true;
  readonly rows = 24;
  columns = 40;
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #wraps = true;
  written = "";

  write(text: string): boolean {
    this.written += text;
    for (const token of text.match(/\x1b\[[?\d;]*[A-Za-z]|[\s\S]/gu) ?? []) this.#obey(token);
    return true;
  }

  /** The lines as a person sees them. */
  get text(): string[] {
    return this.#lines.map((cells) => cells.join("").trimEnd());
  }

  get cursor(): readonly [number, number] {
    return [this.#row, this.#column];
  }

  #obey(token: string): void {
    const up = /^\x1b\[(\d+)A$/.exec(token);
    const right = /^\x1b\[(\d+)C$/.exec(token);
    if (token === "\n") this.#newline();
    else if (token === "\r") this.#column = 0;
    else if (up) this.#row -= Number(up[1]);
    else if (right) this.#column += Number(right[1]);
    else if (token === "\x1b[J") this.#clearBelow();
    else if (token === "\x1b[?7l" || token === "\x1b[?7h") this.#wraps = token.endsWith("h");
    else if (token.startsWith("\x1b")) this.#ignore(token);
    else this.#put(token);
  }

  #newline(): void {
    this.#row += 1;
    this.#column = 0;
    this.#lines[this.#row] ??= [];
  }

  #clearBelow(): void {
    this.#lines.length = this.#row + 1;
    this.#lines[this.#row] = (this.#lines[this.#row] ?? []).slice(0, this.#column);
  }

  #ignore(token: string): void {
    if (!/^\x1b\[(\?(2026|2004)[hl]|\d+m)$/.test(token)) throw new Error(`The screen does not know ${JSON.stringify(token)}`);
  }

  #put(char: string): void {
    if (this.#column >= this.columns) {
      if (this.#wraps) this.#newline();
      else this.#column = this.columns - 1;
    }
    const line = this.#lines[this.#row] ?? [];
    while (line.length < this.#column) line.push(" ");
    line[this.#column] = char;
    this.#column += 1;
  }
}
