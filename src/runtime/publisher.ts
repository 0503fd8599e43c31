import { type Event, type EventSink, makeEvent } from "../messages/event.ts";
import { maskEvent } from "../workbench/secrets.ts";

/** Gives a run's events to its log and to sinks, secrets masked for both. What a sink throws never harms the run: it is collected, and logged once. */
export class Publisher {
  /** What sinks threw, oldest first. */
  readonly errors: unknown[] = [];
  readonly #log: (event: Event) => void;
  #runEnded = false;

  constructor(log: (event: Event) => void) {
    this.#log = log;
  }

  publish(event: Event, sink?: EventSink): void {
    this.#runEnded = event.kind === "task" && event.payload.type === "run-end";
    this.#log(event);
    if (sink) this.tell(() => sink(maskEvent(event)));
  }

  /** Calls a listener. What it throws, also later, is collected. */
  tell(listener: () => unknown): void {
    try {
      const returned = listener();
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.errors.push(error);
    if (this.errors.length > 1 || this.#runEnded) return; // nothing comes after the end of a run
    this.#log(makeEvent("task", "A listener failed; the run is not affected.", { type: "notice", code: "sink-failed" }));
  }
}
