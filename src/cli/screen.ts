import { systemClock } from "../core/clock.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import type { Event } from "../messages/event.ts";
import { type LineOrigin, TerminalInput } from "./terminal/input.ts";
import { LiveArea } from "./terminal/live.ts";
import { Render } from "./terminal/render.ts";
import { StatusLine } from "./terminal/status.ts";
import { animate } from "./terminal/ticker.ts";
import { textColumns, wrapText } from "./terminal/wrap.ts";

export interface ScreenOptions {
  readonly language: Language;
  readonly color: boolean;
  readonly verbose: boolean;
  /** Print log lines on stdout; what people should know goes to stderr. */
  readonly json: boolean;
}

/** What a person does at the terminal. */
export interface ScreenHandlers {
  readonly onLine: (text: string, origin: LineOrigin) => void;
  readonly onInterrupt: () => void;
}

/** The terminal of one run: the log above, status and input below. With `--json` it is silent. */
export class Screen {
  readonly t: Translate;
  readonly #json: boolean;
  readonly #live: LiveArea;
  readonly #render: Render;
  readonly #status: StatusLine;
  #input: TerminalInput | undefined;
  #stopTicking = () => {};

  constructor(options: ScreenOptions) {
    const { language, verbose } = options;
    this.t = translator(language);
    this.#json = options.json;
    this.#live = new LiveArea({ out: process.stdout });
    const color = options.color && this.#live.active;
    this.#render = new Render({ write: (text) => this.#live.print(text), language, color, width: () => this.#live.columns, verbose });
    this.#status = new StatusLine({ language, color });
  }

  /** Shows an event. */
  event(event: Event): void {
    if (this.#json) return;
    this.#status.event(event);
    this.#render.event(event);
    if (event.kind === "ask" && event.payload.kind === "question") this.#questionChanged(event.payload.id, event.payload.state);
  }

  /** A line of the log, byte for byte. */
  line(line: string): void {
    if (this.#json) process.stdout.write(`${line}\n`);
  }

  /** Something that is no event: a document, an answer on the side. */
  aside(title: string, body: string): void {
    if (this.#json) process.stderr.write(`${title}: ${body}\n`);
    else this.#render.aside(title, body);
  }

  /** One line for the person that belongs to no run. */
  say(text: string): void {
    if (this.#json) process.stderr.write(`${text}\n`);
    else for (const line of wrapText(text, textColumns(this.#live.columns))) this.#live.print(`${line}\n`);
  }

  /** Like `say`, but for people only: nothing with `--json`. */
  note(text: string): void {
    if (!this.#json) this.say(text);
  }

  /** Reads what is typed, until `close`. */
  listen(handlers: ScreenHandlers): void {
    if (this.#json) return;
    this.#stopTicking = animate(this.#live, this.#status, systemClock);
    this.#input = new TerminalInput({ stdin: process.stdin, live: this.#live, ...handlers, onEnd: () => {} });
  }

  /** Another prompt before the input line, or the usual one again. */
  prompt(text: string | undefined): void {
    this.#input?.setPrompt(text);
  }

  /** Somebody is in the middle of a line. */
  get isTyping(): boolean {
    return this.#input?.isTyping ?? false;
  }

  get isInteractive(): boolean {
    return this.#live.active && process.stdin.isTTY === true && !this.#json;
  }

  close(): void {
    this.#stopTicking();
    this.#input?.close();
    this.#live.close();
  }

  readonly #waiting: string[] = [];

  #questionChanged(id: string, state: string): void {
    const at = this.#waiting.indexOf(id);
    if (state === "asked" && at < 0) this.#waiting.push(id);
    if (state !== "asked" && at >= 0) this.#waiting.splice(at, 1);
    this.#input?.setCurrentQuestion(this.#waiting[0]);
  }
}
