import type { AgentGraph } from "../agents/agent-graph.ts";
import { callsOf, type Message, type ResultPart } from "../messages/message.ts";
import type { OpenTurnState } from "../sessions/store.ts";
import { argsRecord } from "../tools/call.ts";
import type { OpenTurn } from "./turn.ts";

/**
 * Brings a turn that another process left open to the state it was in: its messages, its books and limits, the agent that the
 * conversation is with, and what is known of the calls in flight. What only a model call can tell (its deltas) is gone.
 */
export function restoreTurn(turn: OpenTurn, open: OpenTurnState, graph: AgentGraph): void {
  for (const entry of open.entries) {
    switch (entry.type) {
      case "message":
        turn.messages.push(entry.message);
        restoreMessage(turn, entry.message, graph);
        break;
      case "call-started":
        turn.startedBefore.add(entry.callId);
        break;
      case "call-result":
        turn.answered.set(entry.result.callId, entry.result);
        if (turn.startedBefore.has(entry.result.callId)) turn.toolNames.push(entry.result.name);
        break;
      case "aborted":
        break;
      default:
        entry satisfies never;
    }
  }
}

function restoreMessage(turn: OpenTurn, message: Message, graph: AgentGraph): void {
  if (message.role === "user" && message.origin === "framework") turn.outputRefused = true;
  if (message.role === "model") {
    turn.iterations++;
    if (message.usage) turn.addUsage(message.usage);
    const speaker = message.agent === undefined ? undefined : graph.get(message.agent);
    if (speaker) turn.agent = speaker;
  }
  if (message.role === "tool") {
    turn.answered.clear();
    restoreTransfers(turn, message, graph);
  }
}

/** Ordinary calls came before transfers, so the limits are counted in that order. */
function restoreTransfers(turn: OpenTurn, message: Message, graph: AgentGraph): void {
  const { transfers } = graph.kit(turn.agent);
  const results = message.parts.filter((part): part is ResultPart => part.type === "result");
  if (results.some((result) => !transfers.has(result.name))) turn.recentTransfers.length = 0;
  for (const result of results) {
    const target = transfers.get(result.name);
    if (!target) continue;
    if (!result.isError) {
      turn.toolNames.push(result.name);
      turn.moveTo(target, reasonOf(turn, result.callId));
    } else if (turn.movedIn !== turn.iterations) {
      turn.handoffLimitHit = true; // a first transfer is refused for no other reason
    }
  }
}

function reasonOf(turn: OpenTurn, callId: string): string {
  const call = callsOf(turn.messages.at(-2) ?? { parts: [] }).find((item) => item.callId === callId);
  const reason = argsRecord(call?.args ?? null)["reason"];
  return typeof reason === "string" ? reason : "";
}
