import { isRecord } from "../core/json.ts";
import type { EventKind } from "./event.ts";

/**
 * Whether an event's facts have the types that its kind promises, so that one may show them. Events that we make have; a log that
 * another version wrote, or somebody edited, may hold anything. Kinds, facts and lists that we don't know are not looked into.
 */
export function isReadable(event: {
  readonly kind: unknown;
  readonly text: unknown;
  readonly tool: unknown;
  readonly payload: unknown;
}): boolean {
  const { kind, text, tool, payload } = event;
  if (typeof kind !== "string" || typeof text !== "string" || typeof tool !== "string" || !isRecord(payload)) return false;
  if (NEEDED.get(kind)?.some((name) => payload[name] === undefined)) return false;
  return Object.entries(payload).every(([name, value]) => value === undefined || isOfType(value, TYPES.get(name)));
}

function isOfType(value: unknown, types: readonly string[] | undefined): boolean {
  if (types === undefined) return true;
  return value !== null && types.includes(typeof value) && (typeof value !== "number" || Number.isFinite(value));
}

const NEEDED: ReadonlyMap<string, readonly string[]> = new Map<EventKind, readonly string[]>([
  ["tool_call", ["id"]],
  ["tool_result", ["toolUseId"]],
  ["ask", ["kind", "id", "state"]],
  ["step", ["index", "total"]],
  ["handoff", ["phase"]],
  ["task", ["type"]],
]);

const TEXTS =
  "step agent subagent parentToolUseId model id toolUseId detail sessionId errorKind trigger subtype type outcome failedAt reason check " +
  "evidence state level limit code kind answer askedAt purpose amended phase from to";
const NUMBERS =
  "iteration context costUsd numIterations preTokens postTokens exitCode total index round used remaining attempt delayMs window at block";
const FLAGS = "isError micro ok resumed woke skipped degraded synthetic";

const named = (names: string, ...types: readonly string[]) => names.split(" ").map((name) => [name, types] as const);

const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ...named(TEXTS, "string"),
  ...named(NUMBERS, "number"),
  ...named(FLAGS, "boolean"),
  ...named("usage options unverifiable sections checks", "object"),
  ...named("of", "string", "number"), // a fragment's block, a budget's limit
  ...named("path", "string", "object"), // a file, who asks
]);
