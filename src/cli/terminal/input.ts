import { emitKeypressEvents, type Key } from "node:readline";
import { type Clock, systemClock } from "../../core/clock.ts";
import { History } from "./history.ts";
import type { InputView } from "./input-layout.ts";
import { EMPTY_LINE, editLine, insert, type Line, withText } from "./line-edit.ts";
import { readLines } from "./line-reader.ts";
import type { LiveArea } from "./live.ts";

export interface LineOrigin {
  /** When its first key was typed, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The question that was on screen at that moment. */
  readonly questionId?: string;
}

export interface TerminalInputOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly live: LiveArea;
  /** A submitted line; a paste arrives as one, with its newlines. May be empty. */
  readonly onLine: (text: string, origin: LineOrigin) => void;
  readonly onInterrupt: () => void;
  /** No more lines will come. */
  readonly onEnd: () => void;
  /** What stands before the line; gets the question that the line would answer. */
  readonly prompt?: (questionId: string | undefined) => string;
  readonly clock?: Clock;
}

/** Nobody has read a question that appeared less than this before a bare Enter: it must not be skipped by that. */
const READING_MS = 500;

/**
 * Reads what a person types, all the time.
 *
 * 1. A line belongs to the question that was current at its first key; one that appears while typing does not get it.
 * 2. On a terminal: raw mode with readline's editing and history. Else, or when the live area is off: line by line.
 * 3. End of input (Ctrl+D on an empty line) ends the lines, nothing else; Ctrl+C still works after it.
 * 4. After `close()`, and when the process exits, the terminal's mode is as before and stdin keeps no process alive.
 *
 * Only in raw mode is Ctrl+C a key; otherwise the terminal sends SIGINT, which is the process's business.
 */
export class TerminalInput {
  readonly #options: TerminalInputOptions;
  readonly #clock: Clock;
  readonly #history = new History();
  #line: Line = EMPTY_LINE;
  #origin: LineOrigin | undefined;
  #question: { readonly id: string; readonly since: number } | undefined;
  #prompt: string | undefined;
  #paste: string | undefined;
  #ended = false;
  #closed = false;
  readonly #stop: () => void;

  constructor(options: TerminalInputOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { stdin, live } = options;
    this.#stop = stdin.isTTY === true && live.active ? this.#readKeys() : this.#readLines();
    stdin.ref?.();
    process.once("exit", this.#onExit);
  }

  /** The question that is on screen now; undefined when none waits. */
  setCurrentQuestion(id: string | undefined): void {
    if (id === this.#question?.id) return;
    this.#question = id === undefined ? undefined : { id, since: this.#clock.now() };
    this.#show();
  }

  /** A line has been begun and not sent. */
  get isTyping(): boolean {
    return this.#line.text !== "";
  }

  /** Another prompt for the time being, or the usual one again. */
  setPrompt(prompt: string | undefined): void {
    this.#prompt = prompt;
    this.#show();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    process.off("exit", this.#onExit);
    this.#stop();
    this.#options.stdin.pause();
    this.#options.stdin.unref?.();
    this.#options.live.input(undefined);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  readonly #onExit = () => this.close();

  #readKeys(): () => void {
    const { stdin, live } = this.#options;
    const onKey = (char: string | undefined, key: Key) => this.#key(char, key);
    const onEnd = () => this.#end();
    emitKeypressEvents(stdin);
    stdin.on("keypress", onKey).on("end", onEnd).on("error", onEnd);
    const enter = () => {
      stdin.setRawMode(true);
      live.pasteMode(true);
      stdin.resume();
      this.#show();
    };
    const leave = () => {
      stdin.setRawMode(false);
      live.pasteMode(false);
    };
    process.on("SIGCONT", enter);
    enter();
    return () => {
      process.off("SIGCONT", enter);
      stdin.off("keypress", onKey).off("end", onEnd);
      leave();
    };
  }

  #readLines(): () => void {
    const onLine = (text: string, origin: LineOrigin) => this.#options.onLine(text, origin);
    return readLines(this.#options.stdin, { begin: () => this.#beginLine(), onLine, onEnd: () => this.#end() });
  }

  #key(char: string | undefined, key: Key): void {
    if (key.ctrl && key.name === "c") this.#interrupt();
    else if (key.name === "paste-start") this.#paste = "";
    else if (key.name === "paste-end") this.#endPaste();
    else if (this.#paste !== undefined) this.#paste += key.sequence ?? char ?? "";
    else if (key.ctrl && key.name === "z") this.#suspend();
    else if (key.ctrl && key.name === "l") this.#options.live.clear();
    else if (!this.#ended) this.#editKey(char, key);
  }

  #editKey(char: string | undefined, key: Key): void {
    const isEnter = !key.meta && (key.name === "return" || key.name === "enter");
    if (isEnter) this.#submit();
    else if (key.ctrl && key.name === "d" && this.#line.text === "") this.#end();
    else this.#change(this.#edited(char, key));
  }

  #edited(char: string | undefined, key: Key): Line {
    if (key.name === "up" || (key.ctrl && key.name === "p")) return this.#recall(this.#history.older(this.#line.text));
    if (key.name === "down" || (key.ctrl && key.name === "n")) return this.#recall(this.#history.newer());
    return editLine(this.#line, char, key);
  }

  #recall(text: string | undefined): Line {
    return text === undefined ? this.#line : withText(this.#line, text);
  }

  /** Also the way out of a paste whose end never came. */
  #interrupt(): void {
    this.#endPaste();
    this.#options.onInterrupt();
  }

  #endPaste(): void {
    const text = this.#paste ?? "";
    this.#paste = undefined;
    if (!this.#ended && text !== "") this.#change(insert(this.#line, text));
  }

  #change(line: Line): void {
    this.#line = line;
    if (line.text === "") this.#origin = undefined;
    else this.#origin ??= this.#beginLine();
    this.#show();
  }

  #submit(): void {
    const { text } = this.#line;
    const origin = this.#origin ?? this.#bareEnter();
    this.#history.add(text);
    this.#change(withText(this.#line, ""));
    this.#options.onLine(text, origin);
  }

  #beginLine(): LineOrigin {
    return { startedAt: this.#clock.now(), ...(this.#question && { questionId: this.#question.id }) };
  }

  #bareEnter(): LineOrigin {
    const now = this.#clock.now();
    return this.#question && now - this.#question.since < READING_MS ? { startedAt: now } : this.#beginLine();
  }

  #end(): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#line = EMPTY_LINE;
    this.#show();
    this.#options.onEnd();
  }

  /** Ctrl+Z stops the whole job, as the terminal itself would; SIGCONT brings raw mode and the line back. */
  #suspend(): void {
    this.#options.live.input(undefined);
    this.#options.live.pasteMode(false);
    this.#options.stdin.setRawMode(false);
    process.kill(0, "SIGTSTP");
  }

  #show(): void {
    if (!this.#closed) this.#options.live.input(this.#ended ? undefined : this.#view());
  }

  #view(): InputView {
    const questionId = this.#line.text === "" ? this.#question?.id : this.#origin?.questionId;
    const prompt = this.#prompt ?? (this.#options.prompt ?? defaultPrompt)(questionId);
    return { prompt, text: this.#line.text, cursor: this.#line.cursor };
  }
}

function defaultPrompt(questionId: string | undefined): string {
  return questionId === undefined ? "› " : `${questionId} › `;
}
