import { abortReason, type LinkedAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { Engine, EnginePart, EngineRequest } from "../engines/engine.ts";

export interface ReadOptions {
  /** The turn's: the engine gets its signal, and silence aborts it. */
  readonly abort: LinkedAbort;
  readonly clock: Clock;
  /** Milliseconds without any part, `alive` included, after which the turn is given up as `engine-idle`. */
  readonly idleTimeoutMs: number;
}

/**
 * Reads an engine's parts one by one. An abort or an idle timeout rejects the pending read at once, also when the engine
 * is deaf to its signal. One promise a part and no race against a long-lived one: streams have thousands of parts.
 */
export class PartReader {
  readonly #iterator: AsyncIterator<EnginePart>;
  readonly #options: ReadOptions;
  readonly #stopListening: () => void;
  #reject: ((error: unknown) => void) | undefined;
  #cancelTimer: () => void = () => {};
  #lastPart: number;

  constructor(engine: Engine, request: EngineRequest, options: ReadOptions) {
    this.#options = options;
    this.#lastPart = options.clock.now();
    this.#stopListening = options.abort.onAbort((error) => this.#reject?.(error));
    this.#watch(options.idleTimeoutMs);
    this.#iterator = engine.stream(request, { signal: options.abort.signal })[Symbol.asyncIterator]();
  }

  next(): Promise<IteratorResult<EnginePart>> {
    return new Promise((resolve, reject) => {
      const { abort, clock } = this.#options;
      if (abort.aborted) return reject(abortReason(abort));
      this.#reject = reject;
      this.#iterator.next().then((result) => {
        this.#lastPart = clock.now();
        resolve(result);
      }, reject);
    });
  }

  /** Ends the reading, early or not; the engine's stream is closed. */
  close(): void {
    this.#cancelTimer();
    this.#stopListening();
    this.#reject = undefined;
    void this.#iterator.return?.()?.then(undefined, () => {});
  }

  #watch(ms: number): void {
    if (!Number.isFinite(ms)) return;
    const { abort, clock, idleTimeoutMs } = this.#options;
    this.#cancelTimer = clock.after(ms, () => {
      const left = idleTimeoutMs - (clock.now() - this.#lastPart);
      if (left > 0) return this.#watch(left);
      abort.abort(new FlowerError("engine-idle", `The model sent nothing for ${idleTimeoutMs / 1000} s.`));
    });
  }
}
