import { type Event, makeEvent } from "../messages/event.ts";
import type { OpenTurnState, SessionLease } from "../sessions/store.ts";

/**
 * A new message ends a turn that was left open (its process died) or that waits for approval: nothing of it ever was history. It
 * is dropped, and calls that may have had an effect are told.
 */
export async function discardLeftover(lease: SessionLease): Promise<Event | undefined> {
  const { open } = lease.state;
  if (!open) return undefined;
  const inFlight = callsInFlight(open);
  await lease.rollback(open.paused ? "a new message came before the decision" : "left open by a process that ended");
  const why = open.paused ? "A turn that waited for approval has been dropped." : "An earlier turn was not finished and has been dropped.";
  const text = inFlight.length === 0 ? why : `${why} In flight, effect unknown: ${inFlight.map((call) => call.name).join(", ")}.`;
  const data = { turnId: open.turnId, paused: open.paused, inFlight };
  return makeEvent("task", text, { type: "notice", code: "turn-discarded", data });
}

/** Calls that had started and never gave a result, of tools that must not run twice. */
function callsInFlight(open: OpenTurnState): readonly { readonly callId: string; readonly name: string }[] {
  const ended = new Set(open.entries.map((entry) => (entry.type === "call-result" ? entry.result.callId : "")));
  return open.entries.flatMap((entry) =>
    entry.type === "call-started" && !entry.idempotent && !ended.has(entry.callId) ? [{ callId: entry.callId, name: entry.name }] : [],
  );
}

/** The stored active agent is not in the code any more. */
export function agentMissing(missing: string, answering: string): Event {
  const text = `The session's agent "${missing}" does not exist any more; "${answering}" answers.`;
  return makeEvent("task", text, { type: "notice", code: "agent-missing", data: { missing, answering } });
}
