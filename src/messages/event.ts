import type { ErrorCode } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { Usage } from "./usage.ts";

/**
 * Everything that happens in a run is one flat, JSON-safe structure; a UI imports nothing else.
 *
 * 1. `JSON.stringify`, spread and `structuredClone` of an event never carry `raw`.
 * 2. `tool` is empty except for `tool_call`.
 * 3. New kinds may come: whoever switches on `kind` keeps an else branch.
 */
export interface EventBase<K extends string, P> {
  readonly kind: K;
  readonly text: string;
  readonly tool: string;
  readonly payload: P;
  /** The backend's own object, or the `Ask`. Not enumerable, not JSON-safe, never leaves the process. */
  readonly raw?: unknown;
}

/** Who and where: on every event that a backend makes. */
export interface Origin {
  /** The label of the workflow step, e.g. `work#round2`. */
  readonly step?: string;
  readonly agent: string;
  /** Counts the model calls of one query, from 1; 0 before the first. */
  readonly iteration: number;
}

/** On what the model says and does. */
export interface Speech extends Origin {
  /** The name of the subagent that speaks; undefined on the main thread. */
  readonly subagent?: string;
  readonly parentToolUseId?: string;
  /** Context level of the model call in tokens, see `contextTokens`. The only source of the context handoff decision. */
  readonly context?: number;
  readonly model?: string;
  /** On the last block of a model reply. */
  readonly usage?: Usage;
  readonly costUsd?: number;
}

export interface ToolCallPayload extends Speech {
  readonly id: string;
  readonly input: Json;
}

export interface ToolResultPayload extends Speech {
  readonly toolUseId: string;
  readonly isError: boolean;
  /** For logs and people, never for the model: the full error of a tool that threw, under the trace id the model was given. */
  readonly detail?: string;
}

export interface ResultPayload extends Origin {
  readonly sessionId: string;
  readonly costUsd?: number;
  readonly numIterations: number;
  readonly isError: boolean;
  readonly errorKind?: ErrorCode;
  readonly usage?: Usage;
}

export interface ResetPayload extends Origin {
  readonly trigger: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly micro: boolean;
  readonly subtype: string;
}

/** How a run ended. */
export type RunOutcome = "achieved" | "failed" | "parked" | "budget" | "interrupted";

export interface CheckEvidence {
  readonly check: string;
  readonly state: "passed" | "failed" | "unverifiable";
  readonly evidence: string;
}

/** Progress, warnings, outcomes. */
export type TaskPayload =
  | {
      readonly type: "run-end";
      readonly outcome: RunOutcome;
      readonly exitCode: number;
      readonly failedAt?: string;
      readonly reason?: string;
    }
  | { readonly type: "goal"; readonly path: string; readonly total: number; readonly unverifiable: readonly string[] }
  | {
      readonly type: "check";
      readonly step: string;
      readonly index: number;
      readonly total: number;
      readonly check: string;
      readonly ok: boolean;
      readonly evidence: string;
    }
  | {
      readonly type: "verdict";
      readonly step: string;
      readonly round: number;
      readonly state: VerdictState;
      readonly reason: string;
      readonly checks: readonly CheckEvidence[];
    }
  | {
      readonly type: "budget";
      readonly level: "warning" | "reached";
      readonly limit: string;
      readonly used: number;
      readonly of: number;
      /** The limit would hold, but the next call could take this much. */
      readonly next?: number;
    }
  | { readonly type: "notice"; readonly code: string; readonly data?: Json }
  | { readonly type: "progress"; readonly subagent?: string; readonly data?: Json };

/** What a verdict derives to; "" = the judge came to no usable conclusion, treated as not yet. */
export type VerdictState = "achieved" | "not_yet" | "unreachable" | "";

export type AskState = "asked" | "answered" | "timeout" | "declined" | "over_budget" | "invalid";

/** The two identities of an `ask` event: a question, or something a person said unasked. Look at `kind` first. */
export type AskPayload =
  | {
      readonly kind: "question";
      readonly id: string;
      readonly options: readonly string[];
      readonly state: AskState;
      readonly answer: string;
      /** Questions left in the quota; −1 = unlimited. */
      readonly remaining: number;
      /** ISO instant. */
      readonly askedAt: string;
      /** Which agent asks: names from the main agent down. */
      readonly path: readonly string[];
      readonly purpose: "model" | "goal" | "budget" | "permission";
    }
  | {
      readonly kind: "mail";
      readonly id: string;
      readonly state: "queued" | "delivered";
      /** The file the words were appended to; "" when to none. */
      readonly amended: string;
      /** Why they could not be saved, when that was tried and failed. */
      readonly notSaved?: string;
    };

export interface RetryPayload {
  readonly step: string;
  /** The attempt that comes, from 2; while waiting for the network, the one that failed. */
  readonly attempt: number;
  readonly reason: string;
  readonly delayMs?: number;
}

export interface StepPayload {
  /** From 1; steps that run at the same time have a number each. */
  readonly index: number;
  readonly total: number;
  readonly resumed: boolean;
  readonly woke: boolean;
  readonly skipped?: boolean;
  /** The name of the element whose steps run at the same time, when this is one of them. */
  readonly parallel?: string;
}

export type HandoffPayload =
  | { readonly phase: "near"; readonly step: string; readonly context: number; readonly window: number; readonly at: number }
  | { readonly phase: "writing"; readonly step: string; readonly context: number; readonly window: number }
  | {
      readonly phase: "done";
      readonly step: string;
      readonly context: number;
      readonly window: number;
      readonly degraded: boolean;
      readonly path: string;
      readonly sections: readonly string[];
    };

/** The payload of every kind. */
export interface EventPayloads {
  text: Speech;
  thinking: Speech;
  prompt: Speech;
  tool_call: ToolCallPayload;
  tool_result: ToolResultPayload;
  result: ResultPayload;
  error: Origin & { readonly synthetic: true; readonly errorKind?: ErrorCode };
  reset: ResetPayload;
  system: Origin & { readonly data: Json };
  task: TaskPayload;
  unknown: { readonly [key: string]: Json };
  ask: AskPayload;
  retry: RetryPayload;
  step: StepPayload;
  handoff: HandoffPayload;
  /** Beyond the seed's fifteen: one agent handed the conversation to another. */
  transfer: Origin & { readonly from: string; readonly to: string; readonly reason: string };
  /** Beyond the seed's fifteen, opt-in, live only, not logged: a streamed fragment of block number `block` of a reply. */
  delta: Origin & { readonly of: "text" | "thinking"; readonly block: number; readonly subagent?: string };
}

export type EventKind = keyof EventPayloads;
export type EventOf<K extends EventKind> = K extends EventKind ? EventBase<K, EventPayloads[K]> : never;
/** A discriminated union on `kind`. */
export type Event = EventOf<EventKind>;

/** Who listens to a run. Synchronous, must not block; what it throws never harms the run. */
export type EventSink = (event: Event) => void;

/** Every kind, in the seed's order, then ours. */
export const EVENT_KINDS = [
  "text",
  "thinking",
  "prompt",
  "tool_call",
  "tool_result",
  "result",
  "error",
  "reset",
  "system",
  "task",
  "unknown",
  "ask",
  "retry",
  "step",
  "handoff",
  "transfer",
  "delta",
] as const satisfies readonly EventKind[];

/** Makes an event. `raw`, when given, is attached so that no copy or serialisation carries it. */
export function makeEvent<K extends EventKind>(kind: K, text: string, payload: EventPayloads[K], extra?: EventExtra): EventOf<K> {
  const event = { kind, text, tool: extra?.tool ?? "", payload };
  if (extra?.raw !== undefined) Object.defineProperty(event, "raw", { value: extra.raw, enumerable: false });
  return event as unknown as EventOf<K>;
}

export interface EventExtra {
  /** For `tool_call` only. */
  readonly tool?: string;
  readonly raw?: unknown;
}

/** `[tool] text` for a tool call, else the text, else `<kind>`. */
export function eventToString(event: Pick<Event, "kind" | "text" | "tool">): string {
  if (event.kind === "tool_call") return `[${event.tool}] ${event.text}`;
  return event.text === "" ? `<${event.kind}>` : event.text;
}

/** One line of `events.jsonl`, of `--json` and of SSE: an event with its place in the run. */
export interface LoggedEvent {
  readonly run: string;
  /** From 1 in each run. */
  readonly seq: number;
  /** ISO instant. */
  readonly at: string;
  readonly kind: string;
  readonly text: string;
  readonly tool: string;
  readonly payload: Json;
}

const SUMMARY_CHARS = 200;
const RESULT_CHARS = 500;

/** A call in one line: the first of `file_path`, `command`, `pattern`, else the first short string argument; ≤ 200 characters. */
export function summarizeCall(args: Json): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return "";
  const record = args as Readonly<Record<string, Json>>;
  for (const key of ["file_path", "command", "pattern"]) {
    const value = record[key];
    if (typeof value === "string" && value !== "") return clip(value, SUMMARY_CHARS);
  }
  for (const key in record) {
    const value = record[key];
    if (typeof value === "string" && value.length > 0 && value.length <= SUMMARY_CHARS) return value;
  }
  return "";
}

/** A result's first 500 characters. */
export function summarizeResult(text: string): string {
  return clip(text, RESULT_CHARS);
}

/** The first `max` characters, without cutting a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
