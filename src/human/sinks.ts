import type { Event, EventSink } from "../messages/event.ts";

/** Hands an event to a sink. What the sink throws, or rejects with later, goes to `onError` and nowhere else. */
export function emitSafely(sink: EventSink, event: Event, onError: (error: unknown) => void): void {
  try {
    const returned: unknown = sink(event);
    if (isThenable(returned)) returned.then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
