import type { Clock } from "../../src/core/clock.ts";

/** Time as a dead process has it: no timer of its fires any more, so that its leases expire when time is skipped. */
export class StoppedClock implements Clock {
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  after(): () => void {
    return () => {};
  }

  skipLeases(): void {
    this.#now += 3_600_000;
  }
}
