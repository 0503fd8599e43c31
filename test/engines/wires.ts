import { createOpenAI } from "@ai-sdk/openai";
import { fromAiSdk } from "../../src/engines/ai-sdk.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { anthropic, gemini, ollama, openai } from "../../src/engines/providers.ts";

/** One provider's wire format, written by its documentation: the events of a reply, and its failures. */
export interface Wire {
  readonly name: string;
  readonly engine: (url: string) => Engine;
  /** False for an engine that is bound to one model. */
  readonly canSwitch: boolean;
  /** Events of a text reply up to, without, its end. */
  readonly begin: (...deltas: readonly string[]) => readonly object[];
  readonly end: readonly object[];
  readonly filtered: readonly object[];
  readonly overloaded: object;
  /** A whole reply that calls `add` with this text as arguments. Undefined: arguments are no text there. */
  readonly call?: (args: string) => readonly object[];
  readonly overflow: { readonly status: number; readonly body: object };
  readonly badKey: { readonly status: number; readonly body: object };
}

export const KEY = "sk-test-0123456789abcdef";

const chunk = (delta: object, finish: string | null = null) => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const chatUsage = {
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [],
  usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, prompt_tokens_details: { cached_tokens: 8 } },
};

const chat = {
  begin: (...deltas: readonly string[]) => deltas.map((content) => chunk({ role: "assistant", content })),
  end: [chunk({}, "stop"), chatUsage, { done: true }],
  filtered: [chunk({}, "content_filter"), chatUsage, { done: true }],
  overloaded: {
    error: { message: "The server had an error while processing your request", type: "server_error", param: null, code: null },
  },
  call: (args: string) => [
    chunk({ tool_calls: [{ index: 0, id: "x1", type: "function", function: { name: "add", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
    chunk({}, "tool_calls"),
    chatUsage,
    { done: true },
  ],
  overflow: {
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  },
  badKey: {
    status: 401,
    body: {
      error: { message: `Incorrect API key provided: ${KEY}.`, type: "invalid_request_error", param: null, code: "invalid_api_key" },
    },
  },
};

const responses: Omit<Wire, "engine" | "name" | "canSwitch"> = {
  begin: (...deltas) => [
    { type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
    ...deltas.map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta })),
  ],
  end: [
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } },
    {
      type: "response.completed",
      response: { usage: { input_tokens: 20, output_tokens: 5, input_tokens_details: { cached_tokens: 8 } } },
    },
  ],
  filtered: [
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } },
    {
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" }, usage: { input_tokens: 20, output_tokens: 5 } },
    },
  ],
  overloaded: {
    type: "error",
    sequence_number: 9,
    error: { type: "server_error", code: "server_is_overloaded", message: "Our servers are currently overloaded.", param: null },
  },
  call: (args) => [
    { type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "function_call", id: "fc_1", call_id: "x1", name: "add", arguments: "" },
    },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: args },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "function_call", id: "fc_1", call_id: "x1", name: "add", arguments: args, status: "completed" },
    },
    { type: "response.completed", response: { usage: { input_tokens: 20, output_tokens: 5 } } },
  ],
  overflow: {
    status: 400,
    body: {
      error: {
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
  },
  badKey: chat.badKey,
};

const started = {
  type: "message_start",
  message: {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 8, cache_creation_input_tokens: 0, output_tokens: 1 },
  },
};

const stopped = (reason: string) => [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const messages: Omit<Wire, "engine" | "name" | "canSwitch"> = {
  begin: (...deltas) => [
    started,
    { type: "ping" },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  ],
  end: stopped("end_turn"),
  filtered: stopped("refusal"),
  overloaded: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  call: (args) => [
    started,
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "add", input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
    ...stopped("tool_use"),
  ],
  overflow: {
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" } },
  },
  badKey: { status: 401, body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } } },
};

const candidate = (parts: readonly object[], finish?: string) => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...(finish ? { finishReason: finish } : {}) }],
  usageMetadata: { promptTokenCount: 20, cachedContentTokenCount: 8, candidatesTokenCount: 5, totalTokenCount: 25 },
});

const generate: Omit<Wire, "engine" | "name" | "canSwitch"> = {
  begin: (...deltas) => deltas.map((text) => candidate([{ text }])),
  end: [candidate([], "STOP")],
  filtered: [candidate([], "SAFETY")],
  overloaded: { error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } },
  overflow: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: "The input token count (1208310) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
  },
  badKey: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: "API key not valid. Please pass a valid API key.",
        status: "INVALID_ARGUMENT",
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
      },
    },
  },
};

const own = (baseURL: string) => ({ baseURL, apiKey: KEY });

export const WIRES: readonly Wire[] = [
  { ...chat, name: "openai chat", canSwitch: true, engine: (url) => openai("gpt-4o", own(url)) },
  {
    ...responses,
    name: "openai responses",
    canSwitch: false,
    engine: (url) => fromAiSdk(createOpenAI({ ...own(`${url}/v1`) }).responses("gpt-5"), { endpoint: url }),
  },
  { ...messages, name: "anthropic", canSwitch: true, engine: (url) => anthropic("claude-sonnet-4-5", own(url)) },
  { ...generate, name: "gemini", canSwitch: true, engine: (url) => gemini("gemini-2.5-flash", own(url)) },
  { ...chat, name: "ollama", canSwitch: true, engine: (url) => ollama("llama3", own(url)) },
];
