import type { Json } from "../core/json.ts";
import type { JsonSchema } from "../core/schema.ts";
import type { Message } from "../messages/message.ts";
import type { Usage } from "../messages/usage.ts";

/**
 * One provider connection behind one function. What every engine guarantees:
 *
 * 1. `stream` makes exactly one model call, on first read; it never retries by itself.
 * 2. Parts come in the order of the reply. Each block (text, reasoning) is a run of its deltas closed by one `block` part
 *    with the whole text; each call is one `call` part.
 * 3. A reply that is complete ends with exactly one `finish` part, the last. A stream that ends without one, or whose
 *    provider gives no reason, throws `stream-cut`.
 * 4. Every failure is a FlowerError, classified here and nowhere else; 429 and 503 carry `details.retryAfterMs` when the
 *    provider said when. No key, header or URL query is in its message or details.
 * 5. An abort ends the stream promptly and rejects with the signal's reason.
 * 6. `alive` parts come for whatever else arrives on the wire (pings), so that silence can be told from slowness.
 * 7. The request is read before the first await and never changed; an engine that keeps messages copies them.
 * 8. Connections are reused: one engine per provider, shared by `withModel`.
 */
export interface Engine {
  /** The provider's name, e.g. `openai`; stamped on its messages. */
  readonly provider: string;
  /** The provider's model id, e.g. `gpt-4o`. */
  readonly model: string;
  /** Where requests go; the network probe uses its host and port. Undefined when nothing is sent anywhere. */
  readonly endpoint?: string;
  stream(request: EngineRequest, options?: EngineCallOptions): AsyncIterable<EnginePart>;
  /** The same connection with another model. */
  withModel(model: string): Engine;
}

export interface EngineCallOptions {
  readonly signal?: AbortSignal;
}

export interface EngineRequest {
  /** The system prompt; "" = none. */
  readonly instructions: string;
  /** A valid history (see `checkHistory`) ending in a user or tool message. */
  readonly messages: readonly Message[];
  /** Tools on offer; empty = none. */
  readonly tools: readonly ToolSpec[];
  readonly settings: EngineSettings;
}

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonSchema;
}

export interface EngineSettings {
  readonly temperature?: number;
  readonly topP?: number;
  /** Cap on output tokens. Engines whose provider demands a cap use 8,192 when none is given. */
  readonly maxOutputTokens?: number;
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
  readonly stopSequences?: readonly string[];
  /** Options of the provider's own, by provider name, passed on as they are. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Why a reply ended. `calls`: it asks for tools (decided by the calls present, not by the provider's word). */
export type EngineFinish = "stop" | "calls" | "length" | "content-filter";

export type EnginePart =
  | { readonly type: "delta"; readonly of: "text" | "reasoning"; readonly text: string }
  | { readonly type: "block"; readonly of: "text" | "reasoning"; readonly text: string; readonly providerMetadata?: Json }
  | {
      readonly type: "call";
      readonly name: string;
      /** The arguments as JSON; when the model's text was not JSON, that text, with `malformed`. */
      readonly args: Json;
      readonly malformed?: true;
      readonly providerMetadata?: Json;
    }
  | { readonly type: "alive" }
  | {
      readonly type: "finish";
      readonly reason: EngineFinish;
      readonly usage: Usage /** As the provider reports it. */;
      readonly model?: string;
    };

/** The output cap for providers that demand one. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8192;
