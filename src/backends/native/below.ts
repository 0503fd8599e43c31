import { Unsettled } from "../../core/unsettled.ts";
import { type Event, makeEvent, type ResultPayload } from "../../messages/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../../messages/usage.ts";

/** What the subagents of one query have spent, and those under way. */
export class Below {
  #usage: Usage = NO_USAGE;
  #iterations = 0;
  readonly #running = new Unsettled();

  /** Owns a subagent's work until it has ended. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#running.add(work);
  }

  /** Takes in how a subagent's query ended. */
  add({ usage, numIterations }: ResultPayload): void {
    this.#iterations += numIterations;
    if (usage) this.#usage = addUsage(this.#usage, usage);
  }

  /** Resolves when nothing below runs any more. */
  ended(): Promise<void> {
    return this.#running.settled();
  }

  /** The query's `result` with what was spent below it; another event as it is. */
  countedIn(event: Event): Event {
    if (event.kind !== "result" || this.#iterations === 0) return event;
    const { costUsd: _own, ...payload } = event.payload;
    const usage = addUsage(payload.usage ?? NO_USAGE, this.#usage);
    return makeEvent("result", event.text, {
      ...payload,
      numIterations: payload.numIterations + this.#iterations,
      usage,
      ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    });
  }
}
