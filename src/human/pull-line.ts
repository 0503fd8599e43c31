import { abortReason } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import type { Question } from "./ask.ts";

export interface PullOptions {
  /** Undefined waits without limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Hands each question to one puller, first come, first served on both sides; settled ones are passed over. */
export class PullLine {
  readonly #clock: Clock;
  readonly #isOpen: (question: Question) => boolean;
  readonly #questions: Question[] = [];
  readonly #pullers: ((question: Question | undefined) => void)[] = [];

  constructor(clock: Clock, isOpen: (question: Question) => boolean) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  offer(question: Question): void {
    const puller = this.#pullers.shift();
    if (puller) puller(question);
    else if (!this.#questions.includes(question)) this.#questions.push(question);
  }

  /** The next open question; undefined at the timeout or when the line closes. Rejects with the signal's reason. */
  async next(options: PullOptions): Promise<Question | undefined> {
    const until = options.timeoutMs === undefined ? undefined : this.#clock.now() + options.timeoutMs;
    for (;;) {
      if (options.signal?.aborted) throw abortReason(options.signal);
      const question = this.#questions.shift() ?? (await this.#pull(until, options.signal));
      if (!question || this.#isOpen(question)) return question;
    }
  }

  /** Ends every waiting pull. */
  close(): void {
    for (const puller of this.#pullers.splice(0)) puller(undefined);
  }

  #pull(until: number | undefined, signal: AbortSignal | undefined): Promise<Question | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = this.#pullers.indexOf(puller);
        if (place >= 0) this.#pullers.splice(place, 1);
        signal?.removeEventListener("abort", onAbort);
        cancel?.();
      };
      const puller = (question: Question | undefined) => {
        leave();
        resolve(question);
      };
      const onAbort = () => {
        leave();
        reject(abortReason(signal as AbortSignal));
      };
      const cancel = until === undefined ? undefined : this.#clock.after(until - this.#clock.now(), () => puller(undefined));
      this.#pullers.push(puller);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
