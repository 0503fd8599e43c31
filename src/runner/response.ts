import type { Usage } from "../messages/usage.ts";
import type { HandoffRecord, OpenTurn } from "./turn.ts";
import type { TurnOutcome } from "./turn-loop.ts";

/** Why the turn ended. A limit that was hit is never disguised as an ordinary answer. */
export type FinishReason =
  | "done"
  /** The answer was cut at the model's output limit. */
  | "length"
  | "iteration-limit"
  | "handoff-limit";

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
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly turnId: string;
  /** Model calls made. */
  readonly iterations: number;
}

export function toResponse(turn: OpenTurn, outcome: TurnOutcome & { readonly text: string }): AgentResponse {
  return Object.freeze({
    content: outcome.text,
    activeAgentName: turn.agent.name,
    toolCallsExecuted: turn.toolNames,
    handoff: turn.handoff,
    finishReason: finishReason(turn, outcome),
    usage: turn.usage,
    turnId: turn.turnId,
    iterations: turn.iterations,
  });
}

function finishReason(turn: OpenTurn, outcome: TurnOutcome): FinishReason {
  if (outcome.kind === "iteration-limit") return "iteration-limit";
  if (turn.handoffLimitHit) return "handoff-limit";
  return outcome.kind === "done" && outcome.cut ? "length" : "done";
}
