import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { isRecord, type Json, parseJson, toJson } from "../core/json.ts";
import type { Usage } from "../messages/usage.ts";
import type { EngineFinish, EnginePart } from "./engine.ts";
import { streamCut } from "./errors.ts";

/** Who replies; for errors and for reading what providers report each in their own way. */
export interface ReplySource {
  readonly provider: string;
  readonly model: string;
}

type Of = "text" | "reasoning";

interface OpenBlock {
  readonly of: Of;
  text: string;
  metadata: Record<string, Json> | undefined;
}

/** Turns the parts of a model's stream into ours, one at a time; holds the blocks that are still open. */
export class ReplyReader {
  readonly #source: ReplySource;
  readonly #open = new Map<string, OpenBlock>();
  #calls = 0;
  #model: string | undefined;

  constructor(source: ReplySource) {
    this.#source = source;
  }

  /** Our parts for one of theirs. Throws the failure that an `error` part carries, as it is, and `stream-cut`. */
  *read(part: LanguageModelV3StreamPart): Generator<EnginePart, void, undefined> {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#block(part.type === "text-start" ? "text" : "reasoning", part);
        return;
      case "text-delta":
        return yield* this.#delta("text", part);
      case "reasoning-delta":
        return yield* this.#delta("reasoning", part);
      case "text-end":
        return yield* this.#end("text", part);
      case "reasoning-end":
        return yield* this.#end("reasoning", part);
      case "tool-call":
        // Tools that the provider runs itself need nothing from us.
        if (part.providerExecuted) return yield { type: "alive" };
        this.#calls++;
        return yield toCall(part);
      case "response-metadata":
        this.#model = part.modelId ?? this.#model;
        return;
      case "error":
        throw part.error;
      case "finish":
        return yield* this.#finish(part);
      default:
        yield { type: "alive" };
    }
  }

  #block(of: Of, part: { readonly id: string; readonly providerMetadata?: unknown }): OpenBlock {
    const key = `${of} ${part.id}`;
    const block = this.#open.get(key) ?? { of, text: "", metadata: undefined };
    this.#open.set(key, block);
    block.metadata = mergeMetadata(block.metadata, part.providerMetadata);
    return block;
  }

  *#delta(of: Of, part: { readonly id: string; readonly delta: string; readonly providerMetadata?: unknown }): Generator<EnginePart> {
    const block = this.#block(of, part);
    if (part.delta === "") return;
    block.text += part.delta;
    yield { type: "delta", of, text: part.delta };
  }

  *#end(of: Of, part: { readonly id: string; readonly providerMetadata?: unknown }): Generator<EnginePart> {
    const block = this.#block(of, part);
    this.#open.delete(`${of} ${part.id}`);
    yield* closed(block);
  }

  *#finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): Generator<EnginePart> {
    const reason = toFinish(part.finishReason, this.#calls > 0, this.#source);
    for (const block of this.#open.values()) yield* closed(block);
    this.#open.clear();
    const usage = toUsage(part.usage, part.providerMetadata, this.#source.provider);
    yield { type: "finish", reason, usage, ...(this.#model === undefined ? {} : { model: this.#model }) };
  }
}

/** A block without text counts only when it carries something to send back (an encrypted thought). */
function* closed(block: OpenBlock): Generator<EnginePart> {
  if (block.text === "" && (block.of === "text" || block.metadata === undefined)) return;
  const metadata = block.metadata === undefined ? {} : { providerMetadata: block.metadata };
  yield { type: "block", of: block.of, text: block.text, ...metadata };
}

/** Metadata comes in pieces, by provider; later fields win, but a later null does not erase (an id stays known). */
function mergeMetadata(known: Record<string, Json> | undefined, more: unknown): Record<string, Json> | undefined {
  if (!isRecord(more)) return known;
  const merged: Record<string, Json> = { ...known };
  for (const [provider, fields] of Object.entries(more)) {
    if (!isRecord(fields)) continue;
    const before = merged[provider];
    const kept: Record<string, unknown> = isRecord(before) ? { ...before } : {};
    for (const [name, value] of Object.entries(fields)) if (value !== undefined && !(value === null && name in kept)) kept[name] = value;
    merged[provider] = toJson(kept);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

function toCall(part: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>): EnginePart {
  const metadata = mergeMetadata(undefined, part.providerMetadata);
  const text: unknown = part.input;
  const args = typeof text !== "string" ? toJson(text) : text.trim() === "" ? {} : parseJson(text);
  return {
    type: "call",
    name: part.toolName,
    args: args === undefined ? String(text) : args,
    ...(args === undefined ? { malformed: true as const } : {}),
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
  };
}

/**
 * Why the reply ended. Version 2 gives a word, later ones `{ unified, raw }`. Gemini may end tool calls with a reason that its
 * package does not know ("other", with a raw word), so the calls decide; with no raw word at all the stream just stopped.
 */
function toFinish(given: unknown, hasCalls: boolean, source: ReplySource): EngineFinish {
  const unified: unknown = isRecord(given) ? given["unified"] : given;
  const raw: unknown = isRecord(given) ? given["raw"] : given;
  const word = typeof raw === "string" ? raw : undefined;
  switch (unified) {
    case "tool-calls":
    case "stop":
    case "length":
      return hasCalls ? "calls" : unified === "length" ? "length" : "stop";
    case "content-filter":
      return "content-filter";
    case "other":
    case "unknown":
      if (hasCalls && word !== undefined) return "calls";
      throw streamCut(source, word);
    default:
      throw streamCut(source, word);
  }
}

/** Version 2 reports flat totals, later ones a breakdown. */
function toUsage(given: unknown, metadata: unknown, provider: string): Usage {
  if (!isRecord(given)) return { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  if (!isRecord(given["inputTokens"])) return toFlatUsage(given, metadata, provider);
  const input = given["inputTokens"];
  const output = isRecord(given["outputTokens"]) ? given["outputTokens"] : {};
  const cacheReadTokens = count(input["cacheRead"]);
  const cacheWriteTokens = count(input["cacheWrite"]);
  const rest = Math.max(0, count(input["total"]) - cacheReadTokens - cacheWriteTokens);
  const inputTokens = typeof input["noCache"] === "number" ? count(input["noCache"]) : rest;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: count(output["total"]) };
}

/** Anthropic's flat total leaves cached tokens out and tells writes beside it; the others' totals include what was cached. */
function toFlatUsage(given: Record<string, unknown>, metadata: unknown, provider: string): Usage {
  const cacheReadTokens = count(given["cachedInputTokens"]);
  const anthropic = isRecord(metadata) && isRecord(metadata["anthropic"]) ? metadata["anthropic"] : {};
  const total = count(given["inputTokens"]);
  return {
    inputTokens: provider === "anthropic" ? total : Math.max(0, total - cacheReadTokens),
    cacheReadTokens,
    cacheWriteTokens: count(anthropic["cacheCreationInputTokens"]),
    outputTokens: count(given["outputTokens"]),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
