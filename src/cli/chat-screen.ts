import pc from "picocolors";
import { TerminalInput } from "./terminal/input.ts";
import { LiveArea } from "./terminal/live.ts";
import { sanitize } from "./terminal/sanitize.ts";
import { wrapText } from "./terminal/wrap.ts";

export interface ChatScreenOptions {
  readonly color: boolean;
  readonly prompt: string;
}

const WIDEST = 110;

/** The terminal of a talk: whole lines go to the log as soon as they are complete, the rest of an answer stands in the status line. */
export class ChatScreen {
  readonly #live: LiveArea;
  readonly #colors: ReturnType<typeof pc.createColors>;
  readonly #prompt: string;
  #input: TerminalInput | undefined;
  #stopListening = () => {};
  #speaker = "";
  #rest = "";

  constructor(options: ChatScreenOptions) {
    this.#live = new LiveArea({ out: process.stdout });
    this.#colors = pc.createColors(options.color && this.#live.active);
    this.#prompt = options.prompt;
  }

  get isInteractive(): boolean {
    return this.#live.active && process.stdin.isTTY === true;
  }

  /** Takes one line after another until `onLine` gives false, input ends, or Ctrl+C comes with nothing to stop. */
  read(onLine: (text: string) => Promise<boolean>, onInterrupt: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let last = Promise.resolve(true);
      const enqueue = (text: string) => {
        if (this.isInteractive) this.#live.print(`${this.#colors.bold(this.#prompt)}${sanitize(text)}`);
        last = last.then((goOn) => goOn && onLine(text));
        last.then((goOn) => goOn || resolve(), reject);
      };
      const interrupt = () => {
        if (!onInterrupt()) resolve();
      };
      process.on("SIGINT", interrupt);
      this.#stopListening = () => process.off("SIGINT", interrupt);
      this.#input = new TerminalInput({
        stdin: process.stdin,
        live: this.#live,
        prompt: () => this.#prompt,
        onLine: enqueue,
        onInterrupt: interrupt,
        onEnd: () => void last.then(() => resolve(), reject),
      });
    });
  }

  /** A fragment of an agent's answer. */
  text(agent: string, fragment: string): void {
    if (agent !== this.#speaker) {
      this.endText();
      this.#speaker = agent;
      this.#live.print(this.#colors.cyan(`${sanitize(agent)}:`));
    }
    const lines = (this.#rest + sanitize(fragment)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#print(line);
    if (!this.#live.active) return;
    const space = /\s*$/.exec(this.#rest)?.[0] ?? ""; // wrapping drops it, and the next fragment may need it
    const wrapped = wrapText(this.#rest, this.#width());
    for (const line of wrapped.slice(0, -1)) this.#live.print(line);
    this.#rest = (wrapped.at(-1) ?? "") + space;
    this.#live.status(this.#rest);
  }

  /** The answer's text is complete. */
  endText(): void {
    if (this.#rest !== "") this.#print(this.#rest);
    this.#rest = "";
    this.#speaker = "";
    this.#live.status("");
  }

  /** Something beside the talk, dimmed. */
  note(text: string): void {
    this.endText();
    for (const line of wrapText(sanitize(text), this.#width())) this.#live.print(this.#colors.dim(line));
  }

  say(text: string): void {
    this.endText();
    this.#print(text);
  }

  close(): void {
    this.#stopListening();
    this.#input?.close();
    this.#live.close();
  }

  #print(text: string): void {
    for (const line of text.split("\n")) {
      const parts = this.#live.active ? wrapText(sanitize(line), this.#width()) : [sanitize(line)];
      for (const part of parts) this.#live.print(`${part}\n`);
    }
  }

  #width(): number {
    return Math.min(WIDEST, this.#live.columns) - 1;
  }
}
