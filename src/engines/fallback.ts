import { FlowerError, isFlowerError, toFlowerError } from "../core/errors.ts";
import { isRecord, type Json } from "../core/json.ts";
import type { Message, Part } from "../messages/message.ts";
import type { Engine, EngineCallOptions, EnginePart, EngineRequest } from "./engine.ts";

/**
 * An engine that asks the first of these and, when that one cannot serve (a retryable error, used-up quota, a refused key),
 * the next. It moves on only while nothing of a reply has been given out; an abort, a bad request or an overflow never moves on.
 * When all fail it throws the last error, or an earlier one that says that a retry may help. Its name and model are the first one's.
 */
export function fallback(engines: readonly Engine[]): Engine {
  const [first, ...rest] = engines;
  if (!first) throw new FlowerError("bad-config", "fallback([…]) needs at least one engine.");
  return {
    provider: first.provider,
    model: first.model,
    ...(first.endpoint === undefined ? {} : { endpoint: first.endpoint }),
    stream: (request, options) => streamFirstAble([first, ...rest], request, options ?? {}),
    withModel: (model) => fallback([first.withModel(model), ...rest]),
  };
}

async function* streamFirstAble(
  engines: readonly [Engine, ...Engine[]],
  request: EngineRequest,
  options: EngineCallOptions,
): AsyncGenerator<EnginePart, void, undefined> {
  const home = engines[0].provider;
  const messages = request.messages.map(restoreAuthor);
  let failure: FlowerError | undefined;
  for (const engine of engines) {
    let given = false;
    try {
      for await (const part of engine.stream({ ...request, messages }, options)) {
        given ||= part.type !== "alive";
        yield engine.provider === home ? part : markAuthor(part, engine.provider);
      }
      return;
    } catch (error) {
      if (given || options.signal?.aborted || !mayMoveOn(error)) throw error;
      const latest = toFlowerError(error);
      failure = failure?.retryable && !latest.retryable ? failure : latest;
    }
  }
  throw failure;
}

function mayMoveOn(error: unknown): boolean {
  return isFlowerError(error) && (error.retryable || error.code === "quota" || error.code === "auth");
}

// A message carries one provider's name, the first engine's. What another engine wrote is marked in its metadata, so that
// it goes back to its author whole and to all others stripped, as if the author's name stood on the message.
const AUTHOR = "flowerFallback";

function markAuthor(part: EnginePart, provider: string): EnginePart {
  if (part.type !== "block" && part.type !== "call") return part;
  if (part.providerMetadata === undefined && !(part.type === "block" && part.of === "reasoning")) return part;
  return { ...part, providerMetadata: { [AUTHOR]: { provider, metadata: part.providerMetadata ?? null } } };
}

function restoreAuthor(message: Message): Message {
  if (message.role !== "model") return message;
  const provider = message.parts.map(authorOf).find((name) => name !== undefined);
  return provider === undefined ? message : { ...message, provider, parts: message.parts.map(withoutMark) };
}

function authorOf(part: Part): string | undefined {
  const mark = markOf(part);
  return typeof mark?.["provider"] === "string" ? mark["provider"] : undefined;
}

function withoutMark(part: Part): Part {
  const mark = markOf(part);
  if (!mark || !("providerMetadata" in part)) return part;
  const { providerMetadata: _marked, ...bare } = part;
  const metadata = mark["metadata"] as Json | undefined;
  return metadata === null || metadata === undefined ? bare : { ...bare, providerMetadata: metadata };
}

function markOf(part: Part): Record<string, unknown> | undefined {
  const metadata: unknown = "providerMetadata" in part ? part.providerMetadata : undefined;
  const mark = isRecord(metadata) ? metadata[AUTHOR] : undefined;
  return isRecord(mark) ? mark : undefined;
}
