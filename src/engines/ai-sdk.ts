import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { abortReason, throwIfAborted, withAbort } from "../core/abort.ts";
import { FlowerError } from "../core/errors.ts";
import type { Engine, EngineCallOptions, EnginePart, EngineRequest } from "./engine.ts";
import { streamCut, toEngineError } from "./errors.ts";
import { costOf, loadPrices } from "./prices.ts";
import { ReplyReader } from "./reply.ts";
import { toCallOptions } from "./request.ts";

/** A language model of the AI SDK's provider specification, version 2, 3 or 4: the part of it that we use. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export interface FromAiSdkOptions {
  /** Our name of the provider. Default: the model's own, shortened (`anthropic.messages` → `anthropic`). */
  readonly provider?: string;
  /** Where its requests go, for the network probe. */
  readonly endpoint?: string;
  /** Makes the same provider's model with another id; without it `engine.withModel` throws `bad-config`. */
  readonly withModel?: (model: string) => AiSdkModel;
}

/** Any language model of the AI SDK as an engine. */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): Engine {
  const provider = options.provider ?? shortName(model.provider);
  const engine = aiSdkEngine({ ...options, provider, model: model.modelId, connect: () => model });
  return {
    ...engine,
    withModel(id) {
      if (id === model.modelId) return this;
      if (options.withModel) return fromAiSdk(options.withModel(id), options);
      throw new FlowerError("bad-config", `This ${provider} engine is bound to ${model.modelId}: give fromAiSdk a withModel to use ${id}.`);
    },
  };
}

/** What an engine over the AI SDK is made of. */
export interface AiSdkEngineParts {
  readonly provider: string;
  readonly model: string;
  readonly endpoint?: string;
  /** The model by its id, over one shared connection. May import the provider's package; called when something is streamed. */
  readonly connect: (model: string) => AiSdkModel | Promise<AiSdkModel>;
  /** Options of every request, by the package's name of the provider. */
  readonly defaults?: SharedV3ProviderOptions;
  /** Keys in use, to be struck from errors. */
  readonly secrets?: readonly string[];
}

/** An engine that connects when it is first used. `withModel` shares the connection. */
export function aiSdkEngine(parts: AiSdkEngineParts): Engine {
  return {
    provider: parts.provider,
    model: parts.model,
    ...(parts.endpoint === undefined ? {} : { endpoint: parts.endpoint }),
    stream: (request, options) => streamReply(parts, request, options ?? {}),
    withModel: (model) => aiSdkEngine({ ...parts, model }),
  };
}

async function* streamReply(
  parts: AiSdkEngineParts,
  request: EngineRequest,
  { signal }: EngineCallOptions,
): AsyncGenerator<EnginePart, void, undefined> {
  throwIfAborted(signal);
  const asked = { ...request, messages: [...request.messages] };
  let streaming = false;
  try {
    void loadPrices().catch(() => {});
    const stream = await withAbort(openStream(parts, asked, signal), signal);
    streaming = true;
    for await (const part of readReply(stream, parts, signal)) yield part.type === "finish" ? await priced(part, parts) : part;
  } catch (error) {
    if (signal?.aborted) throw abortReason(signal);
    throw toEngineError(error, { ...parts, streaming });
  }
}

async function openStream(
  parts: AiSdkEngineParts,
  request: EngineRequest,
  abortSignal: AbortSignal | undefined,
): Promise<ReadableStream<unknown>> {
  const model = await parts.connect(parts.model);
  const options: LanguageModelV3CallOptions = { ...toCallOptions(request, model, parts), ...(abortSignal ? { abortSignal } : {}) };
  // The versions of the specification differ in details that toCallOptions and ReplyReader know.
  const { stream } = await model.doStream(options as never);
  return stream;
}

async function* readReply(
  stream: ReadableStream<unknown>,
  parts: AiSdkEngineParts,
  signal: AbortSignal | undefined,
): AsyncGenerator<EnginePart, void, undefined> {
  const reader = stream.getReader();
  const reply = new ReplyReader(parts);
  try {
    for (;;) {
      const { done, value } = await withAbort(reader.read(), signal);
      if (done) throw streamCut(parts);
      for (const part of reply.read(value as LanguageModelV3StreamPart)) {
        yield part;
        if (part.type === "finish") return;
      }
    }
  } finally {
    // Drops the connection when the reader leaves early; after a whole reply it is free for the next request already.
    void reader.cancel().catch(() => {});
  }
}

type FinishPart = Extract<EnginePart, { type: "finish" }>;

async function priced(part: FinishPart, parts: AiSdkEngineParts): Promise<FinishPart> {
  const ids = part.model === undefined || part.model === parts.model ? [parts.model] : [part.model, parts.model];
  for (const id of ids) {
    const costUsd = await costOf(parts.provider, id, part.usage, parts.endpoint);
    if (costUsd !== undefined) return { ...part, usage: { ...part.usage, costUsd } };
  }
  return part;
}

const SHORT_NAMES: Readonly<Record<string, string>> = { google: "gemini" };

/** `openai.responses` → `openai`, `anthropic.messages` → `anthropic`, `google.generative-ai` → `gemini`. */
function shortName(provider: string): string {
  const first = provider.split(".")[0] ?? provider;
  return SHORT_NAMES[first] ?? first;
}
