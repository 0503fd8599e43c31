import { isRecord, toJson } from "../../core/json.ts";
import { type Event, type Speech, summarizeCall, summarizeResult } from "../../messages/event.ts";
import { contextTokens } from "../../messages/usage.ts";
import { failureCode } from "./failure.ts";
import type { Scene } from "./normalize.ts";
import { toUsage } from "./usage.ts";

/** Events of what the model says, does and is given; undefined for messages of another kind. */
export function toSpeech(scene: Scene): Event[] | undefined {
  switch (scene.message["type"]) {
    case "assistant":
      return isSynthetic(scene.message) ? [toError(scene)] : fromAssistant(scene);
    case "user":
      return fromUser(scene);
    case "stream_event":
      return fromStream(scene);
    default:
      return undefined;
  }
}

/** An error that is written like an assistant's message: never speech. */
export function isSynthetic(message: Readonly<Record<string, unknown>>): boolean {
  const inner = innerOf(message);
  return (
    inner["model"] === "<synthetic>" ||
    message["isApiErrorMessage"] === true ||
    message["is_api_error_message"] === true ||
    typeof message["error"] === "string"
  );
}

function toError(scene: Scene): Event {
  const text = textOf(innerOf(scene.message)["content"]);
  const flag = scene.message["error"];
  const code = failureCode({ text, ...(typeof flag === "string" ? { flag } : {}) });
  return scene.event("error", text, { synthetic: true, ...(code === "unknown" ? {} : { errorKind: code }) });
}

/** Usage and model go with the last block: the reply's figures count once. */
function fromAssistant(scene: Scene): Event[] {
  const inner = innerOf(scene.message);
  const usage = toUsage(inner["usage"]);
  const model = inner["model"];
  const said: Partial<Speech> = {
    ...subagentMarks(scene),
    ...(usage === undefined ? {} : { context: contextTokens(usage) }),
    ...(typeof model === "string" ? { model } : {}),
  };
  const blocks = blocksOf(inner["content"]);
  return blocks.flatMap((block, index) => {
    const isLast = index === blocks.length - 1;
    return fromBlock(scene, block, { ...said, ...(isLast && usage ? { usage } : {}) });
  });
}

type Block = Readonly<Record<string, unknown>>;

function fromBlock(scene: Scene, block: Block, said: Partial<Speech>): Event[] {
  switch (block["type"]) {
    case "text":
      return [scene.event("text", asText(block["text"]), said)];
    case "thinking":
      return [scene.event("thinking", asText(block["thinking"]), said)];
    case "redacted_thinking":
      return [scene.event("thinking", "", said)];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const input = toJson(block["input"] ?? {});
      return [scene.event("tool_call", summarizeCall(input), { id: asText(block["id"]), input, ...said }, toolName(scene, block))];
    }
    default:
      return isResult(block) ? [toResult(scene, block, said)] : [scene.event("unknown", asText(block["type"]), {})];
  }
}

function toolName({ context }: Scene, block: Block): string {
  const name = asText(block["name"]);
  return context.toolName?.(name) ?? name;
}

/** Results of tools; everything else in a user's message is an input: the prompt, the task of a subagent. */
function fromUser(scene: Scene): Event[] {
  const marks = subagentMarks(scene);
  const content = innerOf(scene.message)["content"];
  if (typeof content === "string") return [scene.event("prompt", content, marks)];
  return blocksOf(content).flatMap((block) => {
    if (isResult(block)) return [toResult(scene, block, marks)];
    if (block["type"] === "text") return [scene.event("prompt", asText(block["text"]), marks)];
    return block["type"] === "image" ? [] : [scene.event("unknown", asText(block["type"]), {})];
  });
}

function isResult(block: Block): boolean {
  return typeof block["type"] === "string" && block["type"].endsWith("tool_result");
}

function toResult(scene: Scene, block: Block, said: Partial<Speech>): Event {
  const text = reportOf(scene.message) ?? withoutTags(resultText(block["content"]));
  const payload = { toolUseId: asText(block["tool_use_id"]), isError: block["is_error"] === true, ...said };
  return scene.event("tool_result", summarizeResult(text), payload);
}

/** What a subagent reported, without the frame and the notes that the CLI puts around it for the model. */
function reportOf(message: Readonly<Record<string, unknown>>): string | undefined {
  const result = message["tool_use_result"];
  if (!isRecord(result) || typeof result["agentId"] !== "string" || !Array.isArray(result["content"])) return undefined;
  return resultText(result["content"]).replace(/^\s*<tools-used-before-summary>[^<]*<\/tools-used-before-summary>\s*/, "");
}

/** The CLI wraps its own refusals in tags. */
function withoutTags(text: string): string {
  return /^<tool_use_error>([\s\S]*)<\/tool_use_error>$/.exec(text)?.[1] ?? text;
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(toJson(content));
  return content.map(contentText).join("\n");
}

function contentText(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return "";
  if (typeof part["text"] === "string") return part["text"];
  if (part["type"] === "image") return `[image ${isRecord(part["source"]) ? asText(part["source"]["media_type"]) : ""}]`;
  return part["type"] === "tool_reference" ? asText(part["tool_name"]) : JSON.stringify(toJson(part));
}

/** A streamed fragment; the rest of a stream says nothing that does not come again as a whole. */
function fromStream(scene: Scene): Event[] {
  const { event } = scene.message;
  if (!isRecord(event) || event["type"] !== "content_block_delta" || !isRecord(event["delta"])) return [];
  const { type, text, thinking } = event["delta"];
  const of = type === "text_delta" ? "text" : type === "thinking_delta" ? "thinking" : undefined;
  if (of === undefined) return [];
  const { subagent } = subagentMarks(scene);
  const block = typeof event["index"] === "number" ? event["index"] : 0;
  return [scene.event("delta", asText(of === "text" ? text : thinking), { of, block, ...(subagent === undefined ? {} : { subagent }) })];
}

function subagentMarks({ message, context }: Scene): { readonly subagent?: string; readonly parentToolUseId?: string } {
  const parent = message["parent_tool_use_id"];
  if (typeof parent !== "string" || parent === "") return {};
  const type = message["subagent_type"];
  return { subagent: typeof type === "string" ? type : (context.subagentOf?.(parent) ?? "subagent"), parentToolUseId: parent };
}

function innerOf(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const inner = message["message"];
  if (!isRecord(inner)) throw new TypeError("no message inside");
  return inner;
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content) || !content.every(isRecord)) throw new TypeError("no content blocks");
  return content;
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .map((block) => asText(block["text"]))
    .filter((text) => text !== "")
    .join("\n");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
