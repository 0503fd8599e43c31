import { abortReason, LazyAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { Engine, EnginePart, EngineRequest } from "../engines/engine.ts";

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds without any part, `alive` included, after which the call is given up as `engine-idle`. */
  readonly idleTimeoutMs: number;
}

/**
 * Reads an engine's parts one by one. An abort or an idle timeout rejects the pending read at once, also when the engine
 * is deaf to its signal. One promise a part and no race against a long-lived one: streams have thousands of parts.
 */
export class PartReader {
  readonly #iterator: AsyncIterator<EnginePart>;
  readonly #abort = new LazyAbort();
  readonly #options: ReadOptions;
  readonly #onAbort: () => void;
  #reject: ((error: unknown) => void) | undefined;
  #cancelTimer: () => void = () => {};
  #lastPart: number;

  constructor(engine: Engine, request: EngineRequest, options: ReadOptions) {
    this.#options = options;
    this.#lastPart = options.clock.now();
    this.#onAbort = () => this.#stop(abortReason(options.signal));
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watch(options.idleTimeoutMs);
    const abort = this.#abort;
    const callOptions = {
      get signal() {
        return abort.signal;
      },
    };
    this.#iterator = engine.stream(request, callOptions)[Symbol.asyncIterator]();
  }

  next(): Promise<IteratorResult<EnginePart>> {
    return new Promise((resolve, reject) => {
      if (this.#abort.aborted) return reject(this.#abort.reason);
      this.#reject = reject;
      this.#iterator.next().then((result) => {
        this.#lastPart = this.#options.clock.now();
        resolve(result);
      }, reject);
    });
  }

  /** Ends the reading, early or not; the engine's stream is closed. */
  close(): void {
    this.#cancelTimer();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#reject = undefined;
    void this.#iterator.return?.()?.then(undefined, () => {});
  }

  #watch(ms: number): void {
    if (!Number.isFinite(ms)) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      const quiet = this.#options.clock.now() - this.#lastPart;
      const left = this.#options.idleTimeoutMs - quiet;
      if (left > 0) return this.#watch(left);
      this.#stop(new FlowerError("engine-idle", `The model sent nothing for ${this.#options.idleTimeoutMs / 1000} s.`));
    });
  }

  #stop(error: unknown): void {
    this.#abort.abort(error);
    this.#reject?.(error);
  }
}
