import { abortReason, type LinkedAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { Engine, EnginePart, EngineRequest } from "../engines/engine.ts";
import { contractBroken, engineFailure } from "./engine-contract.ts";

export interface ReadOptions {
  /** The turn's: the engine gets its signal, and silence aborts it. */
  readonly abort: LinkedAbort;
  readonly clock: Clock;
  /** Milliseconds without any part, `alive` included, after which the turn is given up as `engine-idle`. */
  readonly idleTimeoutMs: number;
}

/**
 * Reads an engine's parts. An abort or an idle timeout rejects the pending read at once, also when the engine is deaf to its
 * signal. What the engine throws comes as a FlowerError. One promise a part and no race against a long-lived one: streams have
 * thousands of parts.
 */
export class PartReader {
  readonly #engine: Engine;
  readonly #iterator: AsyncIterator<EnginePart>;
  readonly #options: ReadOptions;
  readonly #stopListening: () => void;
  #reject: ((error: unknown) => void) | undefined;
  #cancelTimer: () => void = () => {};
  #lastPart: number;

  constructor(engine: Engine, request: EngineRequest, options: ReadOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#iterator = openStream(engine, request, options.abort);
    this.#lastPart = options.clock.now();
    this.#stopListening = options.abort.onAbort((error) => this.#reject?.(error));
    this.#watch(options.idleTimeoutMs);
  }

  /** Hands part after part to `take`, until it says that it has enough. Rejects with what `take` throws, and at a stream's early end. */
  readUntil(take: (part: EnginePart) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const { abort, clock } = this.#options;
      const read = () => {
        if (abort.aborted) reject(abortReason(abort));
        else this.#read().then(receive, fail);
      };
      const receive = (result: IteratorResult<EnginePart>) => {
        if (abort.aborted) return;
        this.#lastPart = clock.now();
        try {
          if (take(partOf(result))) resolve();
          else read();
        } catch (error) {
          reject(error);
        }
      };
      const fail = (error: unknown) => reject(engineFailure(this.#engine, error));
      this.#reject = reject;
      read();
    });
  }

  /** Ends the reading, early or not; the engine's stream is closed. */
  close(): void {
    this.#cancelTimer();
    this.#stopListening();
    this.#reject = undefined;
    try {
      void this.#iterator.return?.()?.then(undefined, () => {});
    } catch {} // the reading is over, however it went
  }

  #read(): Promise<IteratorResult<EnginePart>> {
    let reading: Promise<IteratorResult<EnginePart>>;
    try {
      reading = this.#iterator.next();
    } catch (error) {
      return Promise.reject(error);
    }
    return typeof reading?.then === "function" ? reading : Promise.reject(contractBroken(this.#engine, "its iterator is not asynchronous"));
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

function partOf(result: IteratorResult<EnginePart>): EnginePart {
  if (result?.done) throw new FlowerError("stream-cut", "The model's reply ended without a finish.");
  return result?.value;
}

function openStream(engine: Engine, request: EngineRequest, abort: LinkedAbort): AsyncIterator<EnginePart> {
  let stream: AsyncIterable<EnginePart>;
  try {
    stream = engine.stream(request, { signal: abort.signal });
    const iterator = stream?.[Symbol.asyncIterator]?.();
    if (typeof iterator?.next === "function") return iterator;
  } catch (error) {
    throw abort.aborted ? abortReason(abort) : engineFailure(engine, error);
  }
  if (stream instanceof Promise) stream.catch(() => {}); // an async function by mistake; nobody else awaits it
  throw contractBroken(engine, "stream() gave no async iterable");
}
