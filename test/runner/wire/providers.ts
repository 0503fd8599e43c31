import { createOpenAI } from "@ai-sdk/openai";
import { fromAiSdk } from "../../../src/engines/ai-sdk.ts";
import type { Engine, EngineSettings } from "../../../src/engines/engine.ts";
import { anthropic, gemini, openai } from "../../../src/engines/providers.ts";
import { messages } from "./anthropic.ts";
import type { Body, Said } from "./body.ts";
import { generate } from "./gemini.ts";
import { chat } from "./openai-chat.ts";
import { responses } from "./openai-responses.ts";

/** A provider's wire format: how it speaks, and what it refuses. */
export interface WireFormat {
  readonly name: string;
  readonly engine: (url: string) => Engine;
  readonly settings?: EngineSettings;
  /** The events of a reply. */
  readonly say: (said: Said) => readonly object[];
  /** The provider's published rules that a request body breaks. */
  readonly problems: (body: Body) => readonly string[];
}

const apiKey = "sk-test-0123456789abcdef";

export const WIRE_FORMATS: readonly WireFormat[] = [
  { name: "openai chat", engine: (url) => openai("gpt-4o", { baseURL: url, apiKey }), ...chat },
  {
    name: "openai responses",
    engine: (url) => fromAiSdk(createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses("gpt-5"), { endpoint: url }),
    settings: { providerOptions: { openai: { store: false } } },
    ...responses,
  },
  {
    name: "anthropic",
    engine: (url) => anthropic("claude-sonnet-4-5", { baseURL: url, apiKey }),
    settings: { maxOutputTokens: 4_000, providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } } },
    ...messages,
  },
  { name: "gemini", engine: (url) => gemini("gemini-3-pro-preview", { baseURL: url, apiKey }), ...generate },
];
