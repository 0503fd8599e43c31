import { abortReason } from "./abort.ts";

/** Time, injected wherever something waits or stamps, so that tests need no sleeping. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms`; the returned function cancels it. The timer keeps the process alive unless `unref`. */
  after(ms: number, fn: () => void, options?: { readonly unref?: boolean }): () => void;
}

const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn, options) {
    const timer = setTimeout(fn, Math.min(ms, LONGEST_TIMER_MS));
    if (options?.unref) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits `ms` by the given clock; rejects with the signal's reason when aborted meanwhile. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const onAbort = () => {
      cancel();
      reject(abortReason(signal as AbortSignal));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

let lastMs = Number.NaN;
let lastInstant = "";

/** An instant as we store it: ISO 8601, UTC, milliseconds. Many stamps fall into one millisecond, so the newest is kept. */
export function toInstant(ms: number): string {
  if (ms !== lastMs) {
    lastInstant = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastInstant;
}
