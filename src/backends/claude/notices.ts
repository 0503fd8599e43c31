import { isRecord, toJson } from "../../core/json.ts";
import type { Event } from "../../messages/event.ts";
import { failureCode } from "./failure.ts";
import type { Scene } from "./normalize.ts";
import { spentIn } from "./usage.ts";

/** Notices of the CLI that are no `system` messages. */
const NOTICES: readonly unknown[] = [
  "tool_progress",
  "tool_use_summary",
  "auth_status",
  "rate_limit_event",
  "prompt_suggestion",
  "active_goal",
];

/** Estimates that come with every fragment of thinking: part of the stream, not news. */
const NOISE: readonly unknown[] = ["thinking_tokens"];

/** Events of what the CLI reports beside the conversation; undefined for messages of another kind. */
export function toNotice(scene: Scene): Event[] | undefined {
  const { type, subtype } = scene.message;
  if (type === "result") return [toResultEvent(scene)];
  if (type === "conversation_reset") return [toReset(scene, "conversation_reset")];
  if (type === "system") return typeof subtype === "string" ? fromSystem(scene, subtype) : undefined;
  return NOTICES.includes(type) ? [scene.event("system", String(type), { data: dataOf(scene) })] : undefined;
}

function fromSystem(scene: Scene, subtype: string): Event[] {
  if (NOISE.includes(subtype)) return [];
  if (isBoundary(subtype)) return [toReset(scene, subtype)];
  return [scene.event("system", subtype, { data: dataOf(scene) })];
}

function isBoundary(subtype: string): boolean {
  return /^(?:micro_?)?compact(?:ion)?_boundary$/.test(subtype) || /^(?:session|conversation)_reset$/.test(subtype);
}

/** From here on the model remembers a summary, or nothing. The CLI writes the figures in snake or in camel case. */
function toReset(scene: Scene, subtype: string): Event {
  const { message } = scene;
  const about = ["compact_metadata", "compactMetadata", "microcompact_metadata", "microcompactMetadata"]
    .map((key) => message[key])
    .find(isRecord);
  const find = (...keys: readonly string[]) => keys.map((key) => (about ?? message)[key]).find((value) => value !== undefined);
  const preTokens = find("pre_tokens", "preTokens");
  const postTokens = find("post_tokens", "postTokens");
  const trigger = find("trigger");
  return scene.event("reset", subtype, {
    trigger: typeof trigger === "string" ? trigger : "",
    ...(typeof preTokens === "number" ? { preTokens } : {}),
    ...(typeof postTokens === "number" ? { postTokens } : {}),
    micro: subtype.startsWith("micro"),
    subtype,
  });
}

function toResultEvent(scene: Scene): Event {
  const { message } = scene;
  const text = resultText(message);
  const isError = message["is_error"] === true || (typeof message["subtype"] === "string" && message["subtype"].startsWith("error"));
  const usage = spentIn(message);
  return scene.event("result", text, {
    sessionId: typeof message["session_id"] === "string" ? message["session_id"] : "",
    ...(usage?.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    numIterations: typeof message["num_turns"] === "number" ? message["num_turns"] : 0,
    isError,
    ...(isError ? { errorKind: resultCode(message, text) } : {}),
    ...(usage === undefined ? {} : { usage }),
  });
}

/** The last answer, or what went wrong. */
export function resultText(message: Readonly<Record<string, unknown>>): string {
  const { result, errors } = message;
  if (typeof result === "string") return result;
  return Array.isArray(errors) ? errors.filter((error) => typeof error === "string").join("\n") : "";
}

/** Our code for a `result` that reports a failure. */
export function resultCode(message: Readonly<Record<string, unknown>>, text: string) {
  const { subtype, api_error_status: status, api_error: flag, terminal_reason: terminal } = message;
  if (subtype === "error_max_turns") return "iteration-limit" as const;
  if (subtype === "error_max_budget_usd") return "budget" as const;
  return failureCode({
    text,
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof flag === "string" ? { flag } : {}),
    ...(typeof terminal === "string" ? { terminal } : {}),
  });
}

function dataOf({ message }: Scene) {
  const { type: _type, subtype: _subtype, uuid: _uuid, session_id: _session, ...data } = message;
  return toJson(data);
}
