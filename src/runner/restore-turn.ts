import type { AgentGraph } from "../agents/agent-graph.ts";
import { callsOf, type Message } from "../messages/message.ts";
import type { OpenTurnState } from "../sessions/store.ts";
import { argsRecord } from "../tools/call.ts";
import type { OpenTurn } from "./turn.ts";

/**
 * Brings a turn that another process left open to the state it was in: its messages, its books, the agent that the conversation
 * is with, and what is known of the calls in flight. What only a model call can tell (its deltas) is gone.
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
        turn.toolNames.push(entry.result.name);
        break;
      case "aborted":
        break;
      default:
        entry satisfies never;
    }
  }
}

function restoreMessage(turn: OpenTurn, message: Message, graph: AgentGraph): void {
  if (message.role === "model") {
    turn.iterations++;
    if (message.usage) turn.addUsage(message.usage);
    const speaker = message.agent === undefined ? undefined : graph.get(message.agent);
    if (speaker) turn.agent = speaker;
  }
  if (message.role === "tool") {
    turn.answered.clear();
    restoreTransfer(turn, message, graph);
  }
}

function restoreTransfer(turn: OpenTurn, results: Message, graph: AgentGraph): void {
  const { transfers } = graph.kit(turn.agent);
  for (const part of results.parts) {
    if (part.type !== "result" || part.isError) continue;
    const target = transfers.get(part.name);
    if (!target) continue;
    const call = callsOf(turn.messages.at(-2) ?? { parts: [] }).find((item) => item.callId === part.callId);
    const reason = argsRecord(call?.args ?? null)["reason"];
    turn.moveTo(target, typeof reason === "string" ? reason : "");
  }
}
