import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, it } from "vitest";
import type { Engine, EnginePart } from "../../src/engines/engine.ts";
import { anthropic, fromAiSdk, gemini } from "../../src/engines/index.ts";
import type { Message, Part } from "../../src/messages/message.ts";
import { ask, content, message, request } from "./ask.ts";
import { events, serve } from "./server.ts";
import { KEY, WIRES } from "./wires.ts";

/** A reply as the model message that the loop above would store. */
function toMessage(parts: readonly EnginePart[], engine: Engine): Message {
  const stored = content(parts).flatMap((part): Part[] => {
    const metadata = "providerMetadata" in part && part.providerMetadata ? { providerMetadata: part.providerMetadata } : {};
    if (part.type === "block") return [{ type: part.of, text: part.text, ...metadata }];
    if (part.type === "call") return [{ type: "call", callId: "abcdefghi", name: part.name, args: part.args, ...metadata }];
    return [];
  });
  return message("model", stored, { provider: engine.provider, model: engine.model });
}

function historyWith(reply: Message): readonly Message[] {
  const result: Part = { type: "result", callId: "abcdefghi", name: "add", content: [{ type: "text", text: "5" }], isError: false };
  return [message("user", "add"), reply, message("tool", [result])];
}

const wire = (name: string) => WIRES.find((each) => each.name === name) as (typeof WIRES)[number];
const textReply = (name: string) => [...wire(name).begin("ok"), ...wire(name).end];

const thinkThenCall = [
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "c",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "two and three" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SIGNED" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "SEALED" } },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "toolu_1", name: "add", input: {} } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"a":2}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

async function reply(engine: (url: string) => Engine, list: readonly object[]): Promise<Message> {
  await using server = await serve(events(list));
  return toMessage(await ask(engine(server.url), "add"), engine(server.url));
}

/** The body of the request that carries this history. */
async function sent(engine: (url: string) => Engine, wireName: string, history: readonly Message[]): Promise<string> {
  await using server = await serve(events(textReply(wireName)));
  await ask(engine(server.url), request(history));
  return JSON.stringify(server.requests[0]?.body);
}

const claude = (url: string) => anthropic("claude-sonnet-4-5", { baseURL: url, apiKey: KEY });
const flash = (url: string) => gemini("gemini-3-flash-preview", { baseURL: url, apiKey: KEY });
const gpt = (url: string) => fromAiSdk(createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).responses("gpt-5"));

describe("what a provider wants back", () => {
  it("Anthropic gets its signed and its sealed thoughts back", async () => {
    const body = await sent(claude, "anthropic", historyWith(await reply(claude, thinkThenCall)));
    expect(body).toContain('{"type":"thinking","thinking":"two and three","signature":"SIGNED"}');
    expect(body).toContain('{"type":"redacted_thinking","data":"SEALED"}');
  });

  it("another provider gets the call, but neither thoughts nor metadata", async () => {
    const history = historyWith(await reply(claude, thinkThenCall));
    for (const body of [await sent(flash, "gemini", history), await sent(gpt, "openai responses", history)]) {
      expect(body).toContain('"add"');
      expect(body).not.toMatch(/two and three|SIGNED|SEALED/);
    }
  });

  it("Gemini gets the signature of its call back", async () => {
    const call = { functionCall: { name: "add", args: { a: 2 } }, thoughtSignature: "U0lHTkVE" };
    const list = [{ candidates: [{ content: { parts: [call], role: "model" }, finishReason: "STOP", index: 0 }] }];
    const history = historyWith(await reply(flash, list));
    expect(await sent(flash, "gemini", history)).toContain("U0lHTkVE");
    expect(await sent(claude, "anthropic", history)).not.toContain("U0lHTkVE");
  });

  it("OpenAI gets its encrypted reasoning back, which nothing is stored for", async () => {
    const done = { type: "reasoning", id: "rs_1", encrypted_content: "CRYPT", summary: [] };
    const list = [
      { type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } },
      { type: "response.output_item.added", output_index: 0, item: { ...done, encrypted_content: null } },
      { type: "response.output_item.done", output_index: 0, item: done },
      ...(wire("openai responses").call?.('{"a":2}') ?? []).slice(1),
    ];
    const settings = { providerOptions: { openai: { store: false } } };
    const history = historyWith(await reply(gpt, list));
    await using server = await serve(events(textReply("openai responses")));
    await ask(gpt(server.url), request(history, { settings }));
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('"encrypted_content":"CRYPT"');
    expect(body).toContain('"store":false');
    expect(body).not.toContain("item_reference");
  });
});
