import type { Event, EventSink } from "../messages/event.ts";

/**
 * A turn under way. It drives itself: a slow or leaving reader neither slows nor stops it. Any number of readers may iterate
 * it, early or late; each sees every event from the first.
 */
export class Run<R> implements AsyncIterable<Event> {
  /** Settles when the turn is over: its response, or why it failed. A failure also ends every reader with the same error. */
  readonly response: Promise<R>;
  readonly #events: Event[] = [];
  readonly #abort: (reason?: unknown) => void;
  #wake: (() => void)[] = [];
  #over: { readonly error?: unknown } | undefined;

  /** `work` begins at once and gives its events as they happen. */
  constructor(work: (emit: EventSink) => Promise<R>, abort: (reason?: unknown) => void) {
    this.#abort = abort;
    this.response = this.#drive(work);
    this.response.catch(() => {}); // whoever awaits it sees the failure; nobody awaiting is no crash
  }

  /** Stops the turn; history and active agent stay as they were before it. `response` rejects with the reason. */
  abort(reason?: unknown): void {
    this.#abort(reason);
  }

  /** Not a generator: one of those takes twice as long for each event. */
  [Symbol.asyncIterator](): AsyncIterator<Event, void> {
    let index = 0;
    const next = async (): Promise<IteratorResult<Event, void>> => {
      while (index === this.#events.length) {
        if (!this.#over) await new Promise<void>((resolve) => this.#wake.push(resolve));
        else if ("error" in this.#over) throw this.#over.error;
        else return { done: true, value: undefined };
      }
      return { done: false, value: this.#events[index++] as Event };
    };
    return { next };
  }

  async #drive(work: (emit: EventSink) => Promise<R>): Promise<R> {
    try {
      const response = await work((event) => {
        this.#events.push(event);
        this.#wakeReaders();
      });
      this.#finish({});
      return response;
    } catch (error) {
      this.#finish({ error });
      throw error;
    }
  }

  #finish(over: { readonly error?: unknown }): void {
    this.#over = over;
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    if (this.#wake.length === 0) return;
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
