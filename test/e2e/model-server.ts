import { EventEmitter, once } from "node:events";
import { type ChatCompletionRequest, type ChatMessage, type FixtureResponse, LLMock } from "@copilotkit/aimock";
import { onTestFinished } from "vitest";
import type { DemoView } from "../../src/cli/demo/script.ts";
import type { ScriptedReply } from "../../src/engines/scripted.ts";

/** A request as the script sees it, and where it came in. */
export interface View extends DemoView {
  readonly role: Role;
  /** Tool results since the newest user message: empty when that is what the model has to answer. */
  readonly news: readonly string[];
  /** Every text the model is shown, oldest first. */
  readonly texts: readonly string[];
  /** When the request came, in milliseconds since the epoch. */
  readonly at: number;
}

export type Role = "clarifier" | "goal-setter" | "judge" | "worker";

/** An answer that is none: an HTTP status. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The model: a function of what it is shown. While its promise is open the model "thinks". */
export type ModelScript = (view: View) => ScriptedReply | Refusal | Promise<ScriptedReply | Refusal>;

export interface ModelServer {
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly View[];
  /** Resolves when the next request has come. */
  nextRequest(): Promise<void>;
  /** What a process needs in its environment to use this server. */
  env(format?: Format): Readonly<Record<string, string>>;
}

export const FORMATS = ["openai", "anthropic", "gemini"] as const;
export type Format = (typeof FORMATS)[number];

const MODELS: Readonly<Record<Format, string>> = {
  openai: "openai/gpt-4o",
  anthropic: "anthropic/claude-sonnet-4-5",
  gemini: "gemini/gemini-2.5-flash",
};

/** A server that speaks three providers' formats and was written by others; only what the model says is ours. Ends with the test. */
export async function serveModel(script: ModelScript): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, chunkSize: 40, journalMaxEntries: 0 });
  const requests: View[] = [];
  const arrivals = new EventEmitter();
  mock.on({ predicate: () => true }, async (request) => {
    const view = toView(request);
    requests.push(view);
    arrivals.emit("request");
    return toResponse(await script(view));
  });
  const url = await mock.start();
  onTestFinished(async () => void (await mock.stop()));
  const env = (format: Format = "openai") => {
    const name = format.toUpperCase();
    return { FLOWER_MODEL: MODELS[format], [`${name}_BASE_URL`]: url, [`${name}_API_KEY`]: "key-0123456789" };
  };
  const nextRequest = async () => void (await once(arrivals, "request"));
  return { url, requests, nextRequest, env };
}

/** What a request in the format of Chat Completions shows. */
export function toView({ messages, tools }: ChatCompletionRequest): View {
  const names = (tools ?? []).map((tool) => tool.function.name);
  const lastResult = messages.findLastIndex((message) => message.role === "tool");
  const beforeResults = messages.findLastIndex((message, index) => index < lastResult && message.role !== "tool");
  const lastPrompt = messages.findLastIndex((message) => message.role === "user");
  const results = messages.slice(beforeResults + 1, lastResult + 1).map(textOf);
  return {
    tools: names,
    role: roleOf(names),
    replies: messages.filter((message) => message.role === "assistant").length,
    results,
    news: lastResult > lastPrompt ? results : [],
    prompt: lastPrompt < 0 ? "" : textOf(messages[lastPrompt] as ChatMessage),
    texts: messages.map(textOf),
    at: Date.now(),
  };
}

export function roleOf(tools: readonly string[]): Role {
  if (tools.includes("brief")) return "clarifier";
  if (tools.includes("goal")) return "goal-setter";
  return tools.includes("verdict") ? "judge" : "worker";
}

function textOf({ role, content }: ChatMessage): string {
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  return role === "tool" ? unwrap(text) : text;
}

/** Gemini's results are objects that hold the text. */
function unwrap(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "content" in value ? String(value.content) : text;
  } catch {
    return text;
  }
}

function toResponse(reply: ScriptedReply | Refusal): FixtureResponse {
  if ("status" in reply) return { error: { message: reply.message }, status: reply.status };
  const toolCalls = (reply.calls ?? []).map((call) => ({ name: call.name, arguments: JSON.stringify(call.args ?? {}) }));
  const { inputTokens = 100, outputTokens = 10 } = reply.usage ?? {};
  const usage = {
    ...{ prompt_tokens: inputTokens, completion_tokens: outputTokens },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens },
    ...{ promptTokenCount: inputTokens, candidatesTokenCount: outputTokens },
  };
  if (toolCalls.length === 0) return { content: reply.text ?? "", usage };
  return reply.text === undefined ? { toolCalls, usage } : { content: reply.text, toolCalls, usage };
}
