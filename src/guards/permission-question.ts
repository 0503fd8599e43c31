import type { Json } from "../core/json.ts";
import { clip, summarizeCall } from "../messages/event.ts";
import type { CallPart } from "../messages/message.ts";
import { argsRecord } from "../tools/call.ts";

/** What a person is asked. */
export interface PermissionQuestion {
  readonly tool: string;
  /** The call in one line, which may be cut without a sign: for lists. To decide by, show `detail`. */
  readonly summary: string;
  /** The command or path (else all arguments), up to 4,000 characters; what is left out is said at its end. */
  readonly detail: string;
  /** All that the call was made with. */
  readonly args: Json;
  readonly reason: string;
  /** The call that asks: the same again when it is made again after a restart. */
  readonly key: string;
  /** Which agent asks: names from the main agent down. */
  readonly path: readonly string[];
}

const DETAIL_CHARS = 4_000;

export function toPermissionQuestion(
  call: Pick<CallPart, "name" | "args">,
  reason: string,
  from: Pick<PermissionQuestion, "key" | "path">,
): PermissionQuestion {
  return { tool: call.name, summary: summarizeCall(call.args), detail: detailOf(call.args), args: call.args, reason, ...from };
}

function detailOf(args: Json): string {
  const record = argsRecord(args);
  const named = [record["file_path"], record["command"]].find((value) => typeof value === "string" && value !== "");
  const text = typeof named === "string" ? named : JSON.stringify(args);
  const shown = clip(text, DETAIL_CHARS);
  const hidden = text.length - shown.length;
  return hidden === 0 ? text : `${shown}… (${hidden.toLocaleString("en")} more characters)`;
}
