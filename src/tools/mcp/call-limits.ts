import type { Clock } from "../../core/clock.ts";

const LONGEST_MS = 2_147_483_647;

/** How long the calls of one server may take. While a person is asked for it, no time passes. */
export class CallLimits {
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #running = new Set<Limit>();
  #asking = 0;

  constructor(ms: number, clock: Clock) {
    this.#ms = ms;
    this.#clock = clock;
  }

  /** Runs a call, which gets what it needs as request options. Its signal aborts with `signal`, and when its time is up. */
  async hold<T>(
    signal: AbortSignal,
    run: (options: { signal: AbortSignal; timeout: number; onprogress: () => void }) => Promise<T>,
  ): Promise<T> {
    const limit = new Limit(this.#ms, this.#clock);
    this.#running.add(limit);
    if (this.#asking === 0) limit.begin();
    try {
      const onprogress = () => void (this.#asking === 0 && limit.begin());
      return await run({ signal: AbortSignal.any([signal, limit.signal]), timeout: LONGEST_MS, onprogress });
    } finally {
      limit.stop();
      this.#running.delete(limit);
    }
  }

  /** Runs what a person is asked. */
  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#asking++;
    for (const limit of this.#running) limit.stop();
    try {
      return await ask();
    } finally {
      if (--this.#asking === 0) for (const limit of this.#running) limit.begin();
    }
  }
}

class Limit {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #clock: Clock;
  #cancel: () => void = () => {};

  constructor(ms: number, clock: Clock) {
    this.#ms = ms;
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the whole time. */
  begin(): void {
    this.#cancel();
    const error = new Error(`it gave no answer within ${this.#ms / 1_000} s`);
    this.#cancel = this.#clock.after(this.#ms, () => this.#controller.abort(error));
  }

  stop(): void {
    this.#cancel();
  }
}
