import type { AskPayload, Event, EventOf, Speech } from "../messages/event.ts";
import { isReadable } from "../messages/readable.ts";

/** What a run is doing, as told by its events. `since` is when it began, in milliseconds since the epoch. */
type Activity = { readonly since?: number } & (
  | { readonly kind: "idle" }
  | { readonly kind: "model"; readonly agent?: string }
  | { readonly kind: "tool"; readonly agent?: string; readonly tool: string; readonly text: string }
  | { readonly kind: "question"; readonly id: string }
  | { readonly kind: "retry" }
  | { readonly kind: "handoff" }
);

export interface StatusState {
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly step?: { readonly name: string; readonly index: number; readonly total: number };
  /** The work-judge round, from 1. */
  readonly round: number;
  /** Context level of the main thread, in tokens. */
  readonly context?: number;
  readonly handoffAt?: number;
  readonly settledUsd: number;
  /** By step label: the cost of replies whose query has not ended yet. A query's own total replaces it. */
  readonly openUsd: Readonly<Record<string, number>>;
  /** Something was used whose price is not known. */
  readonly costIncomplete: boolean;
  /** The calls that run, by id, oldest first. */
  readonly calls: readonly RunningCall[];
  readonly questions: readonly { readonly id: string; readonly since: number }[];
  readonly activity: Activity;
}

interface RunningCall {
  readonly id: string;
  readonly step?: string;
  readonly agent?: string;
  readonly tool: string;
  readonly text: string;
  readonly since: number;
}

export function initialStatus(startedAt: number, handoffAt?: number): StatusState {
  return {
    startedAt,
    round: 1,
    settledUsd: 0,
    openUsd: {},
    costIncomplete: false,
    calls: [],
    questions: [],
    activity: { kind: "idle" },
    ...(handoffAt === undefined ? {} : { handoffAt }),
  };
}

/** The cost so far; undefined while nothing with a price was used. */
export function knownCost(state: StatusState): { readonly usd: number; readonly complete: boolean } | undefined {
  const usd = Object.values(state.openUsd).reduce((sum, cost) => sum + cost, state.settledUsd);
  return usd === 0 && !state.costIncomplete ? undefined : { usd, complete: !state.costIncomplete };
}

/** The state after one event. Pure; a kind it does not know changes nothing, nor do facts that are not what they should be. */
export function reduceStatus(state: StatusState, event: Event, now: number): StatusState {
  if (!isReadable(event)) return state;
  switch (event.kind) {
    case "text":
    case "thinking":
    case "prompt":
      return thinking(heard(state, event.payload), event.payload, now);
    case "tool_call":
      return called(heard(state, event.payload), event, now);
    case "tool_result":
      return returned(heard(state, event.payload), event, now);
    case "result":
      return settled(state, event, now);
    case "step":
      return stepped(state, event, now);
    case "ask":
      return event.payload.kind === "question" ? asked(state, event.payload, now) : state;
    case "retry":
      return { ...state, calls: [], activity: { kind: "retry", since: now } };
    case "handoff":
      return handedOff(state, event, now);
    case "task":
      return tasked(state, event, now);
    default:
      return state;
  }
}

/** Context level and cost of what the model said. */
function heard(state: StatusState, speech: Speech): StatusState {
  const context = speech.subagent === undefined ? (speech.context ?? state.context) : state.context;
  const spent = speech.usage === undefined ? state : addCost(state, speech.step ?? "", speech.costUsd ?? speech.usage.costUsd);
  return context === undefined ? spent : { ...spent, context };
}

function addCost(state: StatusState, step: string, usd: number | undefined): StatusState {
  if (usd === undefined) return { ...state, costIncomplete: true };
  return { ...state, openUsd: { ...state.openUsd, [step]: (state.openUsd[step] ?? 0) + usd } };
}

/** A query's total replaces what its replies added up to, unless it is unknown. */
function settled(state: StatusState, { payload }: EventOf<"result">, now: number): StatusState {
  const { [payload.step ?? ""]: open = 0, ...openUsd } = state.openUsd;
  const calls = state.calls.filter((call) => call.step !== payload.step);
  const next = { ...state, openUsd, settledUsd: state.settledUsd + (payload.costUsd ?? open), calls };
  return calls.length > 0 ? active(next, now) : { ...next, activity: { kind: "idle" } };
}

function thinking(state: StatusState, speech: Speech, now: number): StatusState {
  const agent = speech.subagent ?? speech.agent;
  const { activity } = state;
  if (state.calls.length > 0 || state.questions.length > 0) return state;
  if (activity.kind === "model" && activity.agent === agent) return state;
  return { ...state, activity: { kind: "model", agent, since: now } };
}

function called(state: StatusState, { payload, tool, text }: EventOf<"tool_call">, now: number): StatusState {
  const call = { id: payload.id, step: payload.step, agent: payload.subagent ?? payload.agent, tool, text, since: now };
  return active({ ...state, calls: [...state.calls, call] }, now);
}

function returned(state: StatusState, { payload }: EventOf<"tool_result">, now: number): StatusState {
  const calls = state.calls.filter((call) => call.id !== payload.toolUseId);
  return active({ ...state, calls, activity: { kind: "model", agent: payload.subagent ?? payload.agent, since: now } }, now);
}

function asked(state: StatusState, ask: Extract<AskPayload, { kind: "question" }>, now: number): StatusState {
  const others = state.questions.filter((question) => question.id !== ask.id);
  return active({ ...state, questions: ask.state === "asked" ? [...others, { id: ask.id, since: now }] : others }, now);
}

/** A waiting question is the most important thing, then the newest call, then the model. */
function active(state: StatusState, now: number): StatusState {
  const question = state.questions[0];
  if (question) return { ...state, activity: { kind: "question", ...question } };
  const call = state.calls.at(-1);
  if (call) return { ...state, activity: { kind: "tool", agent: call.agent, tool: call.tool, text: call.text, since: call.since } };
  return state.activity.kind === "model" ? state : { ...state, activity: { kind: "model", since: now } };
}

function stepped(state: StatusState, { text, payload }: EventOf<"step">, now: number): StatusState {
  const step = { name: text, index: payload.index, total: payload.total };
  const activity: Activity = payload.skipped ? { kind: "idle" } : { kind: "model", since: now };
  return { ...withoutContext(state), step, round: 1, activity };
}

/** A fresh session takes over: its level is not known yet. */
function handedOff(state: StatusState, { payload }: EventOf<"handoff">, now: number): StatusState {
  switch (payload.phase) {
    case "near":
      return { ...state, context: payload.context, handoffAt: payload.at };
    case "writing":
      return { ...state, activity: { kind: "handoff", since: now } };
    default:
      return { ...withoutContext(state), activity: { kind: "model", since: now } };
  }
}

function withoutContext({ context: _, ...rest }: StatusState): StatusState {
  return rest;
}

function tasked(state: StatusState, { payload }: EventOf<"task">, now: number): StatusState {
  if (payload.type === "verdict" && payload.state !== "achieved") return { ...state, round: payload.round + 1 };
  if (payload.type === "run-end") return { ...state, endedAt: now, calls: [], questions: [], activity: { kind: "idle" } };
  return state;
}
