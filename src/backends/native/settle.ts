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

/** Ends a turn that broke off. A reply that was journalled is kept and made whole; without one the iteration is dropped. */
export async function settleTurn(turn: OpenTurn, known: ReadonlyMap<string, ResultPart>): Promise<"kept" | "dropped"> {
  const results = missingResults(turn.messages, known);
  if (results) {
    await turn.journal(turn.message("tool", results, { agent: turn.agent.name }));
  } else if (turn.messages.at(-1)?.role !== "model") {
    return "dropped";
  }
  await turn.end();
  return "kept";
}
