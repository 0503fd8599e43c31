import { toFlowerError } from "../../core/errors.ts";
import { type Event, makeEvent } from "../../messages/event.ts";
import { NO_USAGE } from "../../messages/usage.ts";
import type { BackendQuery } from "../backend.ts";

/** How a query ended that never came to its turn: the session is taken, a tool is missing … It spent nothing. */
export function failedResult(query: BackendQuery, error: unknown): Event {
  const { code, message } = toFlowerError(error, query.signal.aborted ? "aborted" : "unknown");
  return makeEvent("result", message, {
    ...(query.step === undefined ? {} : { step: query.step }),
    agent: query.agent.name,
    iteration: 0,
    sessionId: query.sessionId,
    numIterations: 0,
    usage: NO_USAGE,
    costUsd: 0,
    isError: true,
    errorKind: code,
  });
}
