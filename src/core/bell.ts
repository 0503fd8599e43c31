import type { Clock } from "./clock.ts";

export interface WaitForBell {
  readonly signal?: AbortSignal;
  /** The longest wait in milliseconds; without it only the bell and the signal end it. Needs `clock`. */
  readonly atMost?: { readonly ms: number; readonly clock: Clock };
}

/** Wakes one who waits for news. A ring while nobody waits is kept for the next who does; many rings are one. */
export class Bell {
  #rung = false;
  #wake = () => {};

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Resolves at a ring, at an abort, and when the time is over; never rejects. */
  async wait({ signal, atMost }: WaitForBell = {}): Promise<void> {
    if (!this.#rung && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const cancel = atMost?.clock.after(atMost.ms, () => end());
        const end = () => {
          cancel?.();
          signal?.removeEventListener("abort", end);
          this.#wake = () => {};
          resolve();
        };
        this.#wake = end;
        signal?.addEventListener("abort", end, { once: true });
      });
    }
    this.#rung = false;
  }
}
