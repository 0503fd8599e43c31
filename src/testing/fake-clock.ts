import type { Clock } from "../core/clock.ts";

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** Time that stands still until a test moves it. Timers run in the order of their instants, each seeing its own as `now()`. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), fn };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait: 0 when the code under test has cleaned up after itself. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`. Pending promise work runs first, and again after each timer, so that it can set further timers. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await promiseWork();
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = timer.at;
      timer.fn();
      await promiseWork();
    }
    this.#now = end;
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (!first || timer.at < first.at)) first = timer;
    return first;
  }
}

function promiseWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
