import type { AbortState } from "../../core/abort.ts";
import { isFlowerError, isForGood } from "../../core/errors.ts";
import { interruptedResult } from "../../messages/history.ts";
import { callsOf, type Message, type ResultPart } from "../../messages/message.ts";
import type { OpenTurn } from "../../runner/turn.ts";

/**
 * The tool message that makes a broken-off iteration whole: known results stay, calls without one get "interrupted, effect
 * unknown". Undefined when the last message asks for nothing.
 */
function missingResults(messages: readonly Message[], known: ReadonlyMap<string, ResultPart>): readonly ResultPart[] | undefined {
  const last = messages.at(-1);
  if (last?.role !== "model") return undefined;
  const calls = callsOf(last);
  if (calls.length === 0) return undefined;
  return calls.map((call) => known.get(call.callId) ?? interruptedResult(call));
}

/**
 * What becomes of a turn that broke off. When its failure only puts it off (an abort, parking) and there are calls that can still be
 * made, the turn stays open as after a death: a question that waits comes back with its number. Else it is settled.
 */
export async function settleOrLeave(turn: OpenTurn, failure: unknown, abort: AbortState): Promise<"kept" | "dropped"> {
  const isPutOff = !isForGood(failure) && (abort.aborted || isFlowerError(failure, "parked"));
  if (!isPutOff || !hasCallsToMake(turn)) return settleTurn(turn, turn.answered);
  await turn.pause();
  return "kept";
}

function hasCallsToMake({ messages, answered, unrepeatable }: OpenTurn): boolean {
  const last = messages.at(-1);
  return last?.role === "model" && callsOf(last).some(({ callId }) => !answered.has(callId) && !unrepeatable.has(callId));
}

/** Ends a turn that broke off. A reply that was journalled is kept and made whole; without one the iteration is dropped. */
async function settleTurn(turn: OpenTurn, known: ReadonlyMap<string, ResultPart>): Promise<"kept" | "dropped"> {
  const results = missingResults(turn.messages, known);
  if (results) {
    await turn.journal(turn.message("tool", results, { agent: turn.agent.name }));
  } else if (turn.messages.at(-1)?.role !== "model") {
    return "dropped";
  }
  await turn.end();
  return "kept";
}
