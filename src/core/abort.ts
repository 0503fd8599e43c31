import { FlowerError } from "./errors.ts";

/** Throws the signal's reason when it is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/** The reason of an aborted signal: the caller's own value, or an `aborted` error when the caller gave none. */
export function abortReason(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  if (reason === undefined || (reason instanceof DOMException && reason.name === "AbortError")) {
    return new FlowerError("aborted", "The call was aborted.", { cause: reason });
  }
  return reason;
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it aborts. The listener is removed either way. */
export function withAbort<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(promise);
  if (signal.aborted) {
    void Promise.resolve(promise).catch(() => {});
    return Promise.reject(abortReason(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortReason(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener("abort", onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", onAbort);
        reject(error);
      },
    );
  });
}

/** Calls `listener` with the reason when the signal aborts, at once if it has. The returned function takes it away. */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (!signal) return () => {};
  const tell = () => listener(signal.reason);
  if (signal.aborted) tell();
  else signal.addEventListener("abort", tell, { once: true });
  return () => signal.removeEventListener("abort", tell);
}

/** A controller that also aborts when one of `parents` does. `dispose()` removes its listeners. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  dispose(): void;
}

export function linkAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const removers: (() => void)[] = [];
  for (const parent of parents) {
    if (!parent) continue;
    if (parent.aborted) {
      controller.abort(parent.reason);
      break;
    }
    const onAbort = () => controller.abort(parent.reason);
    parent.addEventListener("abort", onAbort, { once: true });
    removers.push(() => parent.removeEventListener("abort", onAbort));
  }
  const dispose = () => {
    for (const remove of removers.splice(0)) remove();
  };
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), dispose, [Symbol.dispose]: dispose };
}

/** An abort whose signal is made only when somebody looks at it: most calls end without anyone having asked. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The first abort counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
