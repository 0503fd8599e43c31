import type { Agent } from "../agents/agent.ts";
import type { AgentGraph } from "../agents/agent-graph.ts";
import { type LinkedAbort, withAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import type { Engine } from "../engines/engine.ts";
import type { Event, EventSink } from "../messages/event.ts";
import type { HistoryWindow } from "../messages/history.ts";
import { type CallPart, callsOf, type Message, textOf } from "../messages/message.ts";
import type { CallGuard, LateEnd } from "../tools/call.ts";
import type { ApprovalDecision, Approve, PendingCall } from "./approval.ts";
import { askEngine, type Reply } from "./ask-engine.ts";
import { between, type Steering } from "./between.ts";
import { outputInvalid, outputMismatch, readFinalAnswer } from "./final-answer.ts";
import { refuseCalls, runCalls } from "./run-calls.ts";
import type { OpenTurn } from "./turn.ts";

export interface TurnOptions {
  readonly graph: AgentGraph;
  /** The engine that answers for an agent, with the agent's model. Resolved once, cheap to ask. */
  readonly engineOf: (agent: Agent) => Engine;
  /** The turn's own: what the turn waits for ends with it, and what must end the turn aborts it. Engines and tools get its signal. */
  readonly abort: LinkedAbort;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly toolTimeoutMs?: number;
  /** Model calls that may ask for tools; then one more answers without. An agent's own limit goes first. */
  readonly maxIterations: number;
  readonly maxHandoffs: number;
  readonly window?: HistoryWindow;
  /** What is sent of a history, before the window; default: all of it as it is. */
  readonly feed?: (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>;
  /** Run before the agent's own guards. */
  readonly guards: readonly CallGuard[];
  readonly services: Readonly<Record<string, unknown>>;
  /** Names of the agents above this one. */
  readonly path: readonly string[];
  /** Goes into every event's payload. */
  readonly origin: { readonly step?: string; readonly subagent?: string; readonly parentToolUseId?: string };
  /** Whether to yield `delta` events, or else who gets them: streams are long, and each level of the loop costs time. */
  readonly deltas: boolean | EventSink;
  readonly steering?: Steering;
  /** Decides about calls that need approval; without an answer they stay pending and the turn pauses. */
  readonly approve?: Approve;
  /** What a person has decided already, by call id. */
  readonly decisions?: ReadonlyMap<string, ApprovalDecision>;
  /** Told of a tool that goes on after its call was given up. */
  readonly onOutlived?: (still: Promise<LateEnd>, call: CallPart) => void;
  /** Asked before each model call; throws when the agent's limits allow none. */
  readonly limits?: { check(turn: OpenTurn): void };
  /** Runs code of the application (tools, guards, instructions): marks it as running inside this turn. Told whose code it is. */
  readonly enclose?: <T>(code: () => T, owner?: object) => T;
}

/** How a turn ended. Failures are thrown. */
export type TurnOutcome =
  | { readonly kind: "done"; readonly text: string; readonly output?: unknown; readonly cut: boolean }
  | { readonly kind: "iteration-limit"; readonly text: string; readonly output?: unknown }
  | { readonly kind: "needs-approval"; readonly pending: readonly PendingCall[] }
  | { readonly kind: "interrupted" }
  | { readonly kind: "budget"; readonly reason: string }
  | { readonly kind: "context-full"; readonly context: number };

type Done = Extract<TurnOutcome, { readonly kind: "done" }>;

/**
 * Runs iterations until the model asks for no tool. What is journalled becomes history when the open turn commits. A turn that
 * was restored goes on where it stopped: with its open calls, with its final answer, or with the next model call.
 */
export async function* turnLoop(turn: OpenTurn, options: TurnOptions): AsyncGenerator<Event, TurnOutcome> {
  let reply = restoredReply(turn);
  if (reply && turn.iterations > maxIterations(turn, options)) return yield* answerWithoutTools(turn, options, reply);
  while (reply || turn.iterations < maxIterations(turn, options)) {
    if (!reply) {
      const stop = await between(turn, options); // abort, interrupt, budget, context, mail: here only
      if (stop) return stop;
      reply = yield* askEngine(turn, options, "offered");
      await turn.journal(reply.message);
    }
    if (reply.calls.length === 0) {
      const outcome = await finalAnswer(reply, turn, options.abort);
      if (outcome) return outcome;
    } else {
      const pending = yield* runCalls(reply.calls, turn, options);
      if (pending.length > 0) return { kind: "needs-approval", pending };
      await turn.endIteration();
    }
    reply = undefined;
  }
  const stop = await between(turn, options);
  return stop ?? (yield* answerWithoutTools(turn, options));
}

function maxIterations(turn: OpenTurn, options: TurnOptions): number {
  return turn.agent.limits.maxIterations ?? options.maxIterations;
}

/** The reply that a restored turn had journalled last, if it is still to be acted on. */
function restoredReply(turn: OpenTurn): Reply | undefined {
  const message = turn.messages.at(-1);
  if (message?.role !== "model" || turn.iterations === 0) return undefined;
  return { message, calls: callsOf(message), finish: message.cut ? "length" : "stop" };
}

/** The reply as the turn's outcome; undefined when its form is wrong for the first time and the model has been told so. */
async function finalAnswer(reply: Reply, turn: OpenTurn, abort: LinkedAbort): Promise<Done | undefined> {
  const text = textOf(reply.message);
  const cut = reply.finish === "length";
  const schema = turn.agent.output;
  if (!schema) return { kind: "done", text, cut };
  const answer = await withAbort(readFinalAnswer(text, schema), abort);
  if (answer.ok) return { kind: "done", text, output: answer.value, cut };
  if (turn.outputRefused) throw outputInvalid(turn.agent.name, answer.issues);
  turn.outputRefused = true;
  await turn.journal(turn.message("user", [{ type: "text", text: outputMismatch(answer.issues) }], { origin: "framework" }));
  return undefined;
}

/**
 * The limit is reached: one last model call with tools withheld gives a real answer built on what was found. A model that calls
 * tools all the same is told once, and asked again.
 */
async function* answerWithoutTools(turn: OpenTurn, options: TurnOptions, restored?: Reply): AsyncGenerator<Event, TurnOutcome> {
  let reply = restored;
  for (let refused = false; ; reply = undefined) {
    if (!reply) {
      if (refused) options.limits?.check(turn);
      reply = yield* askEngine(turn, options, refused ? "ignored" : "withheld");
      await turn.journal(reply.message);
    }
    if (reply.calls.length > 0) {
      yield* refuseCalls(reply.calls, turn, options, "No more tools can be used in this turn. Answer with what you have.");
      refused = true;
      continue;
    }
    const answer = await finalAnswer(reply, turn, options.abort);
    if (answer) return { kind: "iteration-limit", text: answer.text, output: answer.output };
  }
}
