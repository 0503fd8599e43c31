import type { Clock } from "../../src/core/clock.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

/** A clock that can also go on while no timer runs, as it does for a process that is stopped and continued. */
export class SuspendedClock implements Clock {
  readonly #awake: FakeClock;
  #skipped = 0;

  constructor(start?: number) {
    this.#awake = new FakeClock(start);
  }

  now(): number {
    return this.#awake.now() + this.#skipped;
  }

  after(ms: number, fn: () => void): () => void {
    return this.#awake.after(ms, fn);
  }

  get timers(): number {
    return this.#awake.timers;
  }

  /** Lets time pass, running what falls due. */
  advance(ms: number): Promise<void> {
    return this.#awake.advance(ms);
  }

  /** Lets time pass with the process stopped. */
  skip(ms: number): void {
    this.#skipped += ms;
  }
}
