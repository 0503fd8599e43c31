import type { Usage } from "../messages/usage.ts";
import type { PendingCall } from "./approval.ts";
import type { HandoffRecord, OpenTurn } from "./turn.ts";
import type { TurnOutcome } from "./turn-loop.ts";

/** Why the turn ended. A limit that was hit is never disguised as an ordinary answer. */
export type FinishReason =
  | "done"
  /** The answer was cut at the model's output limit. */
  | "length"
  | "iteration-limit"
  | "handoff-limit"
  /** The turn is paused: `pending` calls wait for `runner.resume`. Nothing of it is history yet. */
  | "needs-approval";

/** What one turn gives. */
export interface AgentResponse {
  /** The final answer's text. */
  readonly content: string;
  /** The agent that answered, and that answers next. */
  readonly activeAgentName: string;
  /** Names of the tools that ran, in the order in which they ended; transfers included. */
  readonly toolCallsExecuted: readonly string[];
  /** The turn's last transfer. */
  readonly handoff: HandoffRecord | undefined;
  /** The answer read by the answering agent's outputSchema; undefined without one. */
  readonly output: unknown;
  readonly finishReason: FinishReason;
  /** Calls that wait for a person's decision; empty unless "needs-approval". */
  readonly pending: readonly PendingCall[];
  readonly usage: Usage;
  readonly turnId: string;
  /** Model calls made. */
  readonly iterations: number;
}

/** Outcomes that a conversation's turn can have. */
export type ChatOutcome = Extract<TurnOutcome, { readonly kind: "done" | "iteration-limit" | "needs-approval" }>;

export function toResponse(turn: OpenTurn, outcome: ChatOutcome): AgentResponse {
  return Object.freeze({
    content: outcome.kind === "needs-approval" ? "" : outcome.text,
    activeAgentName: turn.agent.name,
    toolCallsExecuted: turn.toolNames,
    handoff: turn.handoff,
    output: outcome.kind === "needs-approval" ? undefined : outcome.output,
    finishReason: finishReason(turn, outcome),
    pending: outcome.kind === "needs-approval" ? outcome.pending : [],
    usage: turn.usage,
    turnId: turn.turnId,
    iterations: turn.iterations,
  });
}

function finishReason(turn: OpenTurn, outcome: ChatOutcome): FinishReason {
  if (outcome.kind !== "done") return outcome.kind;
  if (turn.handoffLimitHit) return "handoff-limit";
  return outcome.cut ? "length" : "done";
}
