import type { Event, EventSink } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { Brief } from "../workbench/brief.ts";
import type { Goal } from "../workbench/goal-document.ts";
import type { LineageDocuments } from "../workbench/lineage.ts";
import type { Verdict } from "./verdict.ts";

/** A workflow's results by step name. Keys that begin with `_` are the framework's; read them with the functions below. */
export type Ctx = Record<string, unknown>;

export const REQUEST_KEY = "_request";
export const BRIEF_KEY = "_brief";
export const GOAL_KEY = "_goal";
export const VERDICT_KEY = "_verdict";
export const ROUND_KEY = "_goal_rounds";
export const FAILED_AT_KEY = "_failed_at";
export const ABORTED_KEY = "_aborted";
export const RUNTIME_KEY = "_runtime";
export const RESULTS_KEY = "_results";
/** A gate may say here, for people, why it sent the work back. */
export const REJECTION_KEY = "_rejection";
export const SCOPE_KEY = "_scope";

/** What a step's own code may need of the workflow around it. */
export interface Scope {
  /** The step under way. */
  readonly step: string;
  /** From 1. */
  readonly round: number;
  /** What a person added when an existing run was woken with other words, as long as the step has not passed with it. */
  readonly amendment: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** The workflow's sink, for runs of the step's own. */
  readonly onEvent: EventSink | undefined;
  /** Logs an event and gives it to the sink. */
  emit(event: Event): void;
  /** Records that the round's work is done: should the process end before the gate has answered, the next goes straight there. */
  workDone(): Promise<void>;
  /** What a document was when it was last handed in or taken in; undefined when that is not known. What differs since, a person wrote. */
  document(name: keyof LineageDocuments): string | undefined;
  /** Records it as handed in, or taken in. Gives what it was before. */
  keepDocument(name: keyof LineageDocuments, text: string): Promise<string | undefined>;
  /** Where earlier runs of the chain keep a file of this name, the newest first. */
  earlierFiles(name: string): readonly string[];
}

export function runtimeOf(ctx: Ctx): Runtime | undefined {
  return ctx[RUNTIME_KEY] as Runtime | undefined;
}

/** What the person asked for: the first request of the chain, and what they added at later starts. */
export function requestOf(ctx: Ctx): string {
  return (ctx[REQUEST_KEY] as string | undefined) ?? "";
}

export function briefOf(ctx: Ctx): Brief | undefined {
  return ctx[BRIEF_KEY] as Brief | undefined;
}

export function goalOf(ctx: Ctx): Goal | undefined {
  return ctx[GOAL_KEY] as Goal | undefined;
}

/** The newest verdict. */
export function verdictOf(ctx: Ctx): Verdict | undefined {
  return ctx[VERDICT_KEY] as Verdict | undefined;
}

/** Work-judge rounds made. */
export function roundsOf(ctx: Ctx): number {
  return (ctx[ROUND_KEY] as number | undefined) ?? 0;
}

/** Every attempt's result, in order. */
export function resultsOf(ctx: Ctx): readonly StepResult[] {
  return (ctx[RESULTS_KEY] as readonly StepResult[] | undefined) ?? [];
}

/** The step that stopped the workflow; undefined when none did. Never treat a run with this set as a success. */
export function failedAt(ctx: Ctx): string | undefined {
  return ctx[FAILED_AT_KEY] as string | undefined;
}

/** Why it stopped. */
export function abortedBecause(ctx: Ctx): string | undefined {
  return ctx[ABORTED_KEY] as string | undefined;
}

export function scopeOf(ctx: Ctx): Scope | undefined {
  return ctx[SCOPE_KEY] as Scope | undefined;
}
