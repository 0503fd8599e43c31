import { abortReason, throwIfAborted } from "../core/abort.ts";
import { sessionBusy } from "./refusals.ts";
import type { OpenOptions } from "./store.ts";

interface Waiter {
  admit(): void;
  refuse(error: unknown): void;
}

/** Lets one caller at a time through per session, in order of arrival, within this process. No timers, no polling. */
export class Turnstile {
  /** A session that is held has an entry; the list of those who wait is made when the first one comes. */
  readonly #held = new Map<string, Waiter[] | undefined>();

  /** True when the caller was let through at once. The common case, without a promise. */
  tryEnter(sessionId: string): boolean {
    if (this.#held.has(sessionId)) return false;
    this.#held.set(sessionId, undefined);
    return true;
  }

  /** Resolves when it is the caller's turn; who was let through calls `leave`. */
  async enter(sessionId: string, options: OpenOptions = {}): Promise<void> {
    throwIfAborted(options.signal);
    if (this.tryEnter(sessionId)) return;
    if (options.onBusy === "reject") throw sessionBusy(sessionId);
    await this.#wait(sessionId, options.signal);
  }

  /** Lets the next one through. */
  leave(sessionId: string): void {
    const next = this.#held.get(sessionId)?.shift();
    if (next) next.admit();
    else this.#held.delete(sessionId);
  }

  /** Sends everyone who waits away. */
  refuseAll(error: unknown): void {
    for (const line of this.#held.values()) for (const waiter of line?.splice(0) ?? []) waiter.refuse(error);
  }

  #wait(sessionId: string, signal: AbortSignal | undefined): Promise<void> {
    const line = this.#held.get(sessionId) ?? [];
    this.#held.set(sessionId, line);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        signal?.removeEventListener("abort", onAbort);
        act();
      };
      const waiter: Waiter = { admit: () => settle(resolve), refuse: (error) => settle(() => reject(error)) };
      const onAbort = () => {
        line.splice(line.indexOf(waiter), 1);
        waiter.refuse(abortReason(signal as AbortSignal));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      line.push(waiter);
    });
  }
}
