import { withAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { type NewAsk, Question } from "./ask.ts";
import { nextId } from "./number.ts";
import { PullLine } from "./pull-line.ts";

interface Waiting {
  readonly question: Question;
  /** Ends the waiting of the asker: with nothing when settled, with a reason when given up. */
  end(reason?: { readonly error: unknown }): void;
}

/** Every question the channel knows, and who waits for which. */
export class Questions {
  readonly line: PullLine;
  readonly #clock: Clock;
  readonly #all = new Map<string, Question>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.line = new PullLine(clock, (question) => this.isWaiting(question));
  }

  /** In the order in which they were asked. */
  get all(): readonly Question[] {
    return [...this.#all.values()];
  }

  get waiting(): readonly Question[] {
    return [...this.#waiting.values()].map((waiting) => waiting.question);
  }

  byId(id: string): Question | undefined {
    return this.#all.get(id);
  }

  byKey(key: string | undefined): Question | undefined {
    return key === undefined ? undefined : this.all.find((question) => question.key === key);
  }

  isWaiting(question: Question): boolean {
    return this.#waiting.has(question.id);
  }

  create(ask: Omit<NewAsk, "id">): Question {
    const question = Question.ask({ ...ask, id: nextId("q", this.#all.values()) }, this.#clock);
    this.add(question);
    return question;
  }

  add(question: Question): void {
    this.#all.set(question.id, question);
  }

  /** Questions that take from the quota, as far as they did so here. */
  get counted(): number {
    return this.all.filter((question) => question.counts).length;
  }

  /**
   * Resolves when `settled` has been called for the question; rejects when the signal aborts or `giveUp` is called. `onTime` is
   * called when `untilMs` (an instant; undefined: never) has come.
   */
  async wait(question: Question, untilMs: number | undefined, signal: AbortSignal | undefined, onTime: () => void): Promise<void> {
    let cancel = () => {};
    const arm = (until: number) => {
      const left = until - this.#clock.now();
      if (left <= 0) onTime();
      else cancel = this.#clock.after(left, () => arm(until)); // a clock may wake early when a wait is longer than its timers
    };
    const ended = new Promise<void>((resolve, reject) => {
      this.#waiting.set(question.id, { question, end: (reason) => (reason ? reject(reason.error) : resolve()) });
    });
    if (untilMs !== undefined) arm(untilMs);
    try {
      await withAbort(ended, signal);
    } finally {
      cancel();
      this.#waiting.delete(question.id);
    }
  }

  /** The question has its outcome: it waits no longer, and its asker goes on. */
  settled(question: Question): void {
    const waiting = this.#waiting.get(question.id);
    this.#waiting.delete(question.id);
    waiting?.end();
  }

  /** Its asker waits no longer and gets `error`; the question stays open. */
  leave(question: Question, error: unknown): void {
    this.#waiting.get(question.id)?.end({ error });
  }

  /** Ends all waiting; the questions stay open. */
  giveUp(error: unknown): void {
    for (const waiting of [...this.#waiting.values()]) waiting.end({ error });
    this.#waiting.clear();
  }

  /** Forgets every question. */
  clear(): void {
    this.#all.clear();
  }
}
