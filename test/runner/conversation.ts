import fc from "fast-check";
import { Agent, type AgentOptions } from "../../src/agents/agent.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine } from "../../src/engines/scripted.ts";
import type { HistoryWindow } from "../../src/messages/history.ts";
import { textOf } from "../../src/messages/message.ts";
import type { PendingCall } from "../../src/runner/approval.ts";
import type { AgentResponse } from "../../src/runner/response.ts";
import { Runner } from "../../src/runner/runner.ts";
import type { RunnerOptions } from "../../src/runner/runner-options.ts";
import type { FaultPoint } from "../../src/sessions/fault.ts";
import type { SessionState, SessionStore } from "../../src/sessions/store.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { plainTool } from "./stage.ts";

/** How a turn ends: well, in a failure of some kind, or left waiting for an approval that never comes. */
const ENDINGS = ["engine", "fatal", "abort", "abort in model", "timeout", "commit", "abandon"] as const;

export interface PlannedTurn {
  /** The tools that the model calls, reply by reply, before it answers in words. */
  readonly replies: readonly (readonly string[])[];
  readonly ending: "well" | (typeof ENDINGS)[number];
  /** The reply in whose place a failure comes. */
  readonly at: number;
}

export interface Conversation {
  readonly turns: readonly PlannedTurn[];
  readonly window: HistoryWindow | undefined;
}

const MAX_ITERATIONS = 3;
const TIMEOUT_MS = 30_000;
const CALLS = ["look", "work", "boom", "ask", "nope", "transfer_to_a", "transfer_to_b", "transfer_to_c"];

const turn: fc.Arbitrary<PlannedTurn> = fc.record({
  replies: fc.array(fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  ending: fc.oneof({ weight: 4, arbitrary: fc.constant("well" as const) }, { weight: 5, arbitrary: fc.constantFrom(...ENDINGS) }),
  at: fc.nat(MAX_ITERATIONS - 1),
});

/** Conversations with tools, transfers, approvals, limits and failures of every kind. */
export const conversations: fc.Arbitrary<Conversation> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  window: fc.option(
    fc.oneof(fc.record({ turns: fc.integer({ min: 1, max: 3 }) }), fc.record({ tokens: fc.integer({ min: 1, max: 200 }) })),
    {
      nil: undefined,
    },
  ),
});

/** What tools and store need to make the turn under way fail. */
class Stagehand {
  readonly clock = new FakeClock();
  controller = new AbortController();
  failCommit = false;

  readonly fault = (point: FaultPoint) => {
    if (this.failCommit && point === "commit:before") throw new Error("disk full");
  };
}

type AgentName = "A" | "B" | "C";

/** Three agents that can hand over to each other, with the same tools. */
function agents(hand: Stagehand, optionsOf: (name: AgentName) => Partial<AgentOptions> = () => ({})): Agent {
  const tools = [
    plainTool("look", () => ({ seen: true })),
    plainTool("work", () => "worked", { parallel: false }),
    plainTool("boom", () => Promise.reject(new Error("boom"))),
    plainTool("ask", () => "was allowed", { needsApproval: true }),
    plainTool("fatal", () => Promise.reject(new FlowerError("fatal-tool-error", "no licence"))),
    plainTool("stop", () => hand.controller.abort(new Error("stopped"))),
    plainTool("stall", async (_args, { signal }) => {
      await hand.clock.advance(TIMEOUT_MS);
      signal.throwIfAborted();
    }),
  ];
  const c = new Agent({ name: "C", tools, handoffs: ["A", "B"], ...optionsOf("C") });
  const b = new Agent({ name: "B", tools, handoffs: [c, "A"], ...optionsOf("B") });
  return new Agent({ name: "A", tools, handoffs: [b, c], ...optionsOf("A") });
}

/** The model: what it says depends only on the turn and on how much it has said in it. */
function modelOf({ turns }: Conversation, hand: Stagehand) {
  return ({ messages }: Pick<RecordedRequest, "messages">): ScriptedAnswer | Promise<ScriptedAnswer> => {
    const start = messages.findLastIndex((message) => message.role === "user");
    const number = Number(textOf(messages[start]!));
    const said = messages.slice(start).filter((message) => message.role === "model").length;
    const planned = turns[number]!;
    const names = planned.replies[said];
    if (said === Math.min(planned.at, planned.replies.length)) {
      if (planned.ending === "engine") return new Error("down");
      if (planned.ending === "fatal") return { calls: [{ name: "look" }, { name: "fatal" }] };
      if (planned.ending === "abort") return { calls: [{ name: "stop" }, { name: "work" }] };
      if (planned.ending === "timeout") return { text: "One moment.", calls: [{ name: "stall" }] };
      if (planned.ending === "abort in model") {
        hand.controller.abort(new Error("stopped"));
        return new Promise(() => {});
      }
    }
    return names ? { reasoning: "hm", calls: names.map((name) => ({ name, args: { said } })) } : `Answer to ${number}.`;
  };
}

/** A person allows calls of every other turn. */
function isAllowed(call: PendingCall, number: number): boolean {
  return (number + (call.agent === "B" ? 1 : 0)) % 2 === 0;
}

export interface Played {
  /** The numbers of the turns that were committed. */
  readonly committed: readonly number[];
  readonly requests: readonly RecordedRequest[];
}

export interface PlayOptions {
  /** Makes the store, with a hook that can make it fail. */
  readonly store: (fault: (point: FaultPoint) => void) => SessionStore;
  /** What each agent has beside its tools, e.g. a real provider's engine around the model. Default: one scripted engine for all. */
  readonly cast?: (model: ReturnType<typeof modelOf>) => (name: AgentName) => Partial<AgentOptions>;
  /** After each turn that was not committed: the session before and after it. */
  readonly onFailed?: (before: SessionState | undefined, after: SessionState | undefined) => void;
}

/** Plays a conversation with all its failures; pauses are resumed, unless the turn is to be abandoned. */
export async function play(conversation: Conversation, options: PlayOptions): Promise<Played> {
  const hand = new Stagehand();
  const store = options.store(hand.fault);
  const startingAgent = agents(hand, options.cast?.(modelOf(conversation, hand)));
  const { runner, engine } = open(conversation, hand, { startingAgent, sessionStore: store, historyWindow: conversation.window });
  const committed: number[] = [];
  for (const [number, planned] of conversation.turns.entries()) {
    hand.controller = new AbortController();
    hand.failCommit = planned.ending === "commit";
    const before = await store.read("s");
    const finished = await takeTurn(runner, number, planned, hand.controller.signal);
    if (finished) committed.push(number);
    else options.onFailed?.(before, await store.read("s"));
  }
  return { committed, requests: engine.requests };
}

/** Plays only these turns, which must all succeed, with approvals given at once and the whole history sent. */
export async function playOnly(conversation: Conversation, numbers: readonly number[], sessionStore: SessionStore): Promise<void> {
  const turns = conversation.turns.map((planned) => ({ ...planned, ending: "well" as const }));
  let current = 0;
  const { runner } = open({ ...conversation, turns }, new Stagehand(), { sessionStore, approve: (call) => isAllowed(call, current) });
  for (current of numbers) await runner.run("s", String(current));
}

function open(conversation: Conversation, hand: Stagehand, options: Partial<RunnerOptions>) {
  const engine = new ScriptedEngine(modelOf(conversation, hand));
  const { clock } = hand;
  const limits = { maxToolIterations: MAX_ITERATIONS, maxHandoffsPerTurn: 2 };
  return { engine, runner: new Runner({ startingAgent: agents(hand), engine, clock, ...limits, ...options }) };
}

/** Whether the turn was committed. */
async function takeTurn(runner: Runner, number: number, { ending }: PlannedTurn, signal: AbortSignal): Promise<boolean> {
  const request = { signal, timeoutMs: TIMEOUT_MS };
  try {
    let response: AgentResponse = await runner.run("s", String(number), request);
    while (response.finishReason === "needs-approval") {
      if (ending === "abandon") return false;
      const decisions = response.pending.map((call) => ({ callId: call.callId, approve: isAllowed(call, number) }));
      response = await runner.resume("s", decisions, request);
    }
    if (ending !== "well" && ending !== "abandon") throw new Error(`Turn ${number} should have failed: ${ending}.`);
    return true;
  } catch (error) {
    if (ending === "well" || ending === "abandon" || String(error).includes("should have failed")) throw error;
    return false;
  }
}
