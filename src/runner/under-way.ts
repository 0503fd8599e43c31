import type { LinkedAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { Unsettled } from "../core/unsettled.ts";

const GRACE_MS = 10_000;

/** What a Runner has under way: turns, and tools that go on after their call was given up. */
export class UnderWay {
  readonly #turns = new Map<Promise<void>, LinkedAbort>();
  readonly #outliving = new Unsettled();

  addTurn(response: Promise<unknown>, link: LinkedAbort): void {
    const forget = () => {
      link.dispose();
      this.#turns.delete(over);
    };
    const over = response.then(forget, forget);
    this.#turns.set(over, link);
  }

  addOutliving(still: Promise<void>): void {
    void this.#outliving.add(still);
  }

  /** Waits for all of it; after the grace period (10 s) turns are aborted, tools left. */
  async end(clock: Clock): Promise<void> {
    let cancel = () => {};
    const graceOver = new Promise<void>((resolve) => {
      cancel = clock.after(GRACE_MS, resolve);
    });
    await Promise.race([graceOver, this.#settled()]);
    cancel();
    const reason = new FlowerError("aborted", "The Runner was closed.");
    for (const link of this.#turns.values()) link.abort(reason);
    await Promise.all(this.#turns.keys());
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#turns.keys());
    await this.#outliving.settled();
  }
}
