import type { Agent } from "../agents/agent.ts";
import type { AgentKit } from "../agents/agent-graph.ts";
import { type LinkedAbort, linkAbort } from "../core/abort.ts";
import { Queue } from "../core/queue.ts";
import { type Event, makeEvent, summarizeResult } from "../messages/event.ts";
import { interruptedResult } from "../messages/history.ts";
import { type CallPart, type ResultPart, resultText } from "../messages/message.ts";
import { argsRecord, type CallOptions, type CallOutcome, failed, runCall, unknownToolText } from "../tools/call.ts";
import { CallContext } from "../tools/call-context.ts";
import type { ToolContext } from "../tools/tool.ts";
import { authorizeCall, type PendingCall } from "./approval.ts";
import type { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";

/**
 * Runs all calls of one reply that have no result yet, and journals one tool message with exactly one result per call, in the
 * calls' order. Ordinary calls come first, under the agent that asked, in parallel unless a tool says otherwise; then at most one
 * transfer. Result events come as results come. When calls are left pending (a person must decide), no tool message is
 * journalled and they are returned, in the calls' order; what has to run after them waits.
 */
export async function* runCalls(
  calls: readonly CallPart[],
  turn: OpenTurn,
  options: TurnOptions,
): AsyncGenerator<Event, readonly PendingCall[]> {
  const asker = turn.agent;
  const kit = options.graph.kit(asker);
  const open = calls.filter((call) => !turn.answered.has(call.callId));
  const ordinary = open.filter((call) => !kit.transfers.has(call.name));
  for (const batch of batches(ordinary, kit)) {
    const undecided = yield* runBatch(batch, kit, turn, options);
    if (undecided.length > 0) return undecided;
  }
  if (calls.length > open.length || ordinary.length > 0) turn.recentTransfers.length = 0;
  for (const call of open) {
    const target = kit.transfers.get(call.name);
    if (target) yield* transfer(call, target, turn, options);
  }
  const parts = calls.map((call) => turn.answered.get(call.callId) ?? interruptedResult(call));
  await turn.journal(turn.message("tool", parts, { agent: asker.name }));
  return [];
}

/** Answers every call of a reply without running it. */
export async function* refuseCalls(
  calls: readonly CallPart[],
  turn: OpenTurn,
  options: TurnOptions,
  why: string,
): AsyncGenerator<Event, void> {
  const refused = failed(why);
  for (const call of calls) yield resultEvent(call, refused, turn, options);
  const parts = calls.map((call) => toResult(call, refused));
  await turn.journal(turn.message("tool", parts, { agent: turn.agent.name }));
}

/** Calls that may run side by side stay together; one that must run alone is a batch of its own. */
function batches(calls: readonly CallPart[], kit: AgentKit): readonly (readonly CallPart[])[] {
  const groups: CallPart[][] = [];
  let open: CallPart[] | undefined;
  for (const call of calls) {
    if (kit.tools.get(call.name)?.parallel === false) {
      groups.push([call]);
      open = undefined;
    } else if (open) {
      open.push(call);
    } else {
      open = [call];
      groups.push(open);
    }
  }
  return groups;
}

/** Runs calls side by side; returns those that are left pending. */
async function* runBatch(
  batch: readonly CallPart[],
  kit: AgentKit,
  turn: OpenTurn,
  options: TurnOptions,
): AsyncGenerator<Event, readonly PendingCall[]> {
  const pending: CallPart[] = [];
  const queue = new Queue<Event>();
  const siblings = batch.length > 1 ? linkAbort(options.abort) : undefined;
  const scope: CallScope = { emit: (event) => pushInto(queue, event), abort: siblings ?? options.abort };
  let failure: { readonly error: unknown } | undefined;
  let running = batch.length;
  const settled = batch.map(async (call) => {
    try {
      const event = await runOne(call, kit, turn, options, scope);
      if (event === "pending") pending.push(call);
      else queue.push(event);
    } catch (error) {
      failure ??= { error };
      siblings?.abort(error); // the others of this reply are stopped: the turn fails as a whole
    }
    if (--running === 0) queue.end(failure);
  });
  try {
    for (let event = await queue.next(); event; event = await queue.next()) yield event;
  } finally {
    queue.end(); // whoever waits for a reader that has gone goes on
    siblings?.dispose();
    if (running > 0) await Promise.all(settled);
  }
  const left = batch.filter((call) => pending.includes(call));
  return left.map(({ callId, name, args }) => ({ callId, name, args, agent: turn.agent.name }));
}

function pushInto(queue: Queue<Event>, event: Event): Promise<void> {
  queue.push(event);
  return queue.drained();
}

interface CallScope {
  readonly emit: ToolContext["emit"];
  readonly abort: LinkedAbort;
}

/**
 * Runs a call, journals its result and gives its event, unless it is left pending. A call that was started before this turn was restored had been authorized. It runs again only when its tool is idempotent: the
 * effect of another is unknown.
 */
async function runOne(call: CallPart, kit: AgentKit, turn: OpenTurn, options: TurnOptions, scope: CallScope): Promise<Event | "pending"> {
  const tool = kit.tools.get(call.name);
  const startedBefore = turn.startedBefore.has(call.callId);
  const effectUnknown = startedBefore && tool?.idempotent === false;
  let ran = false;
  const facts = {
    sessionId: turn.sessionId,
    path: [...options.path, turn.agent.name],
    agent: turn.agent.name,
    callId: call.callId,
    metadata: turn.metadata,
    history: turn.messages,
    services: options.services,
    emit: scope.emit,
  };
  const context = new CallContext(facts, () => scope.abort.signal);
  const target = tool ?? unknownToolText(call.name, [...kit.tools.keys(), ...kit.transfers.keys()]);
  const callOptions: CallOptions = {
    abort: scope.abort,
    inside: options.enclose,
    guards: options.guards.length + turn.agent.guards.length === 0 ? undefined : [...options.guards, ...turn.agent.guards],
    timeoutMs: options.toolTimeoutMs,
    clock: options.clock,
    authorize: (found, args) => (startedBefore ? undefined : authorizeCall(found, args, call, context, options)),
    onStart: () => {
      ran = true;
      return turn.callStarted(call, tool?.idempotent ?? true);
    },
    onOutlived: (still) => options.onOutlived?.(still, call),
  };
  const outcome = effectUnknown ? interruptedResult(call) : await runCall(call, target, context, callOptions);
  if (outcome === "pending") return "pending";
  if (ran) turn.toolNames.push(call.name);
  await turn.callEnded(toResult(call, outcome));
  return resultEvent(call, outcome, turn, options);
}

function resultEvent(call: CallPart, outcome: CallOutcome, turn: OpenTurn, options: TurnOptions): Event {
  return makeEvent("tool_result", summarizeResult(resultText(outcome.content)), {
    agent: turn.agent.name,
    iteration: turn.iterations,
    toolUseId: call.callId,
    isError: outcome.isError,
    ...(outcome.detail === undefined ? {} : { detail: outcome.detail }),
    ...options.origin,
  });
}

function toResult(call: CallPart, outcome: CallOutcome): ResultPart {
  const { content, isError, denied } = outcome;
  const result = { type: "result", callId: call.callId, name: call.name, content, isError } as const;
  return denied ? { ...result, denied } : result;
}

/**
 * Moves the conversation to another agent, or refuses before the active agent moves. Journalled with the tool message only: a turn
 * that is restored before makes the transfer again.
 */
function* transfer(call: CallPart, target: Agent, turn: OpenTurn, options: TurnOptions): Generator<Event, void> {
  const from = turn.agent;
  const given = argsRecord(call.args)["reason"];
  const reason = typeof given === "string" ? given : "";
  const outcome = transferOutcome(target, turn, options);
  turn.answered.set(call.callId, toResult(call, outcome));
  yield resultEvent(call, outcome, turn, options);
  if (outcome.isError) return;
  turn.toolNames.push(call.name);
  turn.moveTo(target, reason);
  const payload = { agent: from.name, iteration: turn.iterations, from: from.name, to: target.name, reason, ...options.origin };
  yield makeEvent("transfer", `${from.name} → ${target.name}${reason === "" ? "" : `: ${reason}`}`, payload);
}

/** The same transfer a third time in a turn, with no other tool call since, counts as the limit. */
const MAX_SAME_TRANSFER = 2;

function transferOutcome(target: Agent, turn: OpenTurn, options: TurnOptions): CallOutcome {
  if (turn.movedIn === turn.iterations)
    return failed("The conversation was already handed over in this reply; only the first transfer counts.");
  const repeated = turn.recentTransfers.filter((name) => name === `${turn.agent.name}→${target.name}`).length >= MAX_SAME_TRANSFER;
  if (turn.handoffLimitHit || turn.handoffs >= options.maxHandoffs || repeated) {
    turn.handoffLimitHit = true;
    return failed("No further handoff is possible in this turn. Answer with what you have.");
  }
  return { content: [{ type: "text", text: `The conversation is now with ${target.name}.` }], isError: false };
}
