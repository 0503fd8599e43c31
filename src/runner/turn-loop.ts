import type { Agent } from "../agents/agent.ts";
import type { AgentGraph } from "../agents/agent-graph.ts";
import type { Clock } from "../core/clock.ts";
import type { Engine } from "../engines/engine.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import type { HistoryWindow } from "../messages/history.ts";
import { textOf } from "../messages/message.ts";
import type { CallGuard } from "../tools/call.ts";
import { askEngine } from "./ask-engine.ts";
import { between, type Steering } from "./between.ts";
import { refuseCalls, runCalls } from "./run-calls.ts";
import type { OpenTurn } from "./turn.ts";

export interface TurnOptions {
  readonly graph: AgentGraph;
  /** The engine that answers for an agent, with the agent's model. Resolved once, cheap to ask. */
  readonly engineOf: (agent: Agent) => Engine;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly toolTimeoutMs?: number;
  /** Model calls that may ask for tools; then one more answers without. An agent's own limit goes first. */
  readonly maxIterations: number;
  readonly maxHandoffs: number;
  readonly window?: HistoryWindow;
  /** Run before the agent's own guards. */
  readonly guards: readonly CallGuard[];
  readonly services: Readonly<Record<string, unknown>>;
  /** Names of the agents above this one. */
  readonly path: readonly string[];
  /** Goes into every event's payload. */
  readonly origin: { readonly step?: string; readonly subagent?: string; readonly parentToolUseId?: string };
  readonly deltas: boolean;
  readonly steering?: Steering;
}

/** How a turn ended. Failures are thrown. */
export type TurnOutcome =
  | { readonly kind: "done"; readonly text: string; readonly cut: boolean }
  | { readonly kind: "iteration-limit"; readonly text: string }
  | { readonly kind: "interrupted" }
  | { readonly kind: "budget"; readonly reason: string }
  | { readonly kind: "context-full"; readonly context: number };

/** Runs iterations until the model asks for no tool. What is journalled becomes history when the open turn commits. */
export async function* turnLoop(turn: OpenTurn, options: TurnOptions): AsyncGenerator<Event, TurnOutcome> {
  while (turn.iterations < (turn.agent.limits.maxIterations ?? options.maxIterations)) {
    const stop = await between(turn, options); // abort, interrupt, budget, context, mail, limits: here only
    if (stop) return stop;
    const reply = yield* askEngine(turn, options, "on");
    await turn.journal(reply.message);
    if (reply.calls.length === 0) return { kind: "done", text: textOf(reply.message), cut: reply.finish === "length" };
    yield* runCalls(reply.calls, turn, options);
    await turn.endIteration();
  }
  const stop = await between(turn, options);
  return stop ?? (yield* answerWithoutTools(turn, options));
}

/** The limit is reached: one last model call with tools withheld gives a real answer built on what was found. */
async function* answerWithoutTools(turn: OpenTurn, options: TurnOptions): AsyncGenerator<Event, TurnOutcome> {
  const reply = yield* askEngine(turn, options, "off");
  await turn.journal(reply.message);
  if (reply.calls.length > 0) {
    await refuseCalls(reply.calls, turn, "No more tools can be used in this turn.");
    yield makeEvent("system", "iteration-limit", { ...options.origin, agent: turn.agent.name, iteration: turn.iterations, data: null });
  }
  return { kind: "iteration-limit", text: textOf(reply.message) };
}
