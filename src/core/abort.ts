import { FlowerError } from "./errors.ts";

/** What tells whether something was aborted: a signal, or a `LinkedAbort`. */
export type AbortState = Pick<AbortSignal, "aborted" | "reason">;

/** Throws the signal's reason when it is aborted. */
export function throwIfAborted(signal: AbortState | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/** The reason of an aborted signal: the caller's own value, or an `aborted` error when the caller gave none. */
export function abortReason(signal: AbortState): unknown {
  return toReason(signal.reason);
}

function toReason(reason: unknown): unknown {
  if (reason === undefined || (reason instanceof DOMException && reason.name === "AbortError")) {
    return new FlowerError("aborted", "The call was aborted.", { cause: reason });
  }
  return reason;
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it aborts. The listener is removed either way. */
export function withAbort<T>(promise: PromiseLike<T>, signal: AbortSignal | LinkedAbort | undefined): Promise<T> {
  if (!signal) return Promise.resolve(promise);
  if (signal.aborted) {
    void Promise.resolve(promise).catch(() => {});
    return Promise.reject(abortReason(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const stopListening = listen(signal, () => reject(abortReason(signal)));
    promise.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
}

/**
 * A controller that also aborts when one of `parents` does. Its signal is made when somebody looks at it: making one costs more than
 * a whole short turn, and inside one `onAbort` does. `dispose()` removes what it left at its parents.
 */
export interface LinkedAbort extends AbortState, Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Calls `listener` with the reason, as `abortReason` gives it; at once when aborted already. The returned function takes it back. */
  onAbort(listener: (reason: unknown) => void): () => void;
  /** Makes this another parent. */
  follow(parent: AbortSignal | LinkedAbort): void;
  dispose(): void;
}

export function linkAbort(...parents: readonly (AbortSignal | LinkedAbort | undefined)[]): LinkedAbort {
  const link = new Link();
  for (const parent of parents) if (parent) link.follow(parent);
  return link;
}

class Link implements LinkedAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #listeners: ((reason: unknown) => void)[] | undefined;
  #removers: (() => void)[] | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get reason(): unknown {
    return this.#aborted?.reason;
  }

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    for (let next = this.#listeners?.shift(); next; next = this.#listeners?.shift()) next(toReason(reason));
  }

  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#aborted) listener(toReason(this.#aborted.reason));
    else if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
    return () => this.#forget(listener);
  }

  #forget(listener: (reason: unknown) => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at >= 0) this.#listeners?.splice(at, 1);
    if (this.#listeners?.length === 0) this.#listeners = undefined; // most have one at a time: an array of one is the smallest list
  }

  follow(parent: AbortSignal | LinkedAbort): void {
    if (this.#aborted) return;
    if (parent.aborted) return this.abort(parent.reason);
    const onAbort = () => this.abort(parent.reason);
    const remove = listen(parent, onAbort);
    if (this.#removers) this.#removers.push(remove);
    else this.#removers = [remove];
  }

  dispose(): void {
    for (const remove of this.#removers ?? []) remove();
    this.#removers = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function listen(parent: AbortSignal | LinkedAbort, onAbort: () => void): () => void {
  if ("onAbort" in parent) return parent.onAbort(onAbort);
  parent.addEventListener("abort", onAbort, { once: true });
  return () => parent.removeEventListener("abort", onAbort);
}
