import { type Event, makeEvent } from "../messages/event.ts";
import type { CallPart } from "../messages/message.ts";

/** A call that was given up (timeout, abort) and whose tool gave a result all the same. */
export interface LateResult {
  readonly sessionId: string;
  readonly turnId: string;
  readonly call: CallPart;
}

/** Its trace among the events of a turn that is still under way. */
export function lateResult({ turnId, call }: LateResult): Event {
  const data = { turnId, callId: call.callId, name: call.name };
  return makeEvent("task", dropped(call.name), { type: "notice", code: "late-result", data });
}

/**
 * Its trace when the turn is over and nobody reads its events any more: a warning of the process, which Node prints on stderr and
 * gives to `process.on("warning")`, with the ids as properties. The result itself is in neither.
 */
export function warnOfLateResult({ sessionId, turnId, call }: LateResult): void {
  const text = `${dropped(call.name)} The turn was over. Let the tool heed context.signal.`;
  const facts = { name: "FlowerWarning", code: "late-result", sessionId, turnId, callId: call.callId, tool: call.name };
  process.emitWarning(Object.assign(new Error(text), facts));
}

function dropped(name: string): string {
  return `"${name}" gave a result after its call had been given up; the result was dropped.`;
}
