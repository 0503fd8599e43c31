import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropic, gemini, ollama, openai } from "../../src/engines/index.ts";
import { ask, content, message, request } from "./ask.ts";

// A server that nobody here wrote: our reading of the wire formats is checked against someone else's.
const mock = new LLMock({ port: 0, chunkSize: 5 });
let base = "";

beforeAll(async () => {
  mock.on({ toolResultContains: "5" }, { content: "It is 5." });
  mock.onMessage("hello", { content: "Hello there, friend." });
  mock.onMessage("think", { content: "Done.", reasoning: "first this, then that" });
  mock.onMessage("sum", {
    toolCalls: [
      { name: "add", arguments: '{"a":2,"b":3}' },
      { name: "add", arguments: '{"a":4,"b":5}' },
    ],
  });
  base = await mock.start();
});
afterAll(() => mock.stop());

const PROVIDERS = { "gpt-4o": openai, "claude-sonnet-4-5": anthropic, "gemini-2.5-flash": gemini, llama3: ollama };

describe.each(Object.entries(PROVIDERS))("%s against aimock", (model, make) => {
  const engine = () => make(model, { baseURL: base, apiKey: "key-0123456789" });

  it("puts the deltas together to the block's text", async () => {
    const parts = content(await ask(engine(), "hello"));
    const deltas = parts.flatMap((part) => (part.type === "delta" ? [part.text] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("Hello there, friend.");
    expect(parts.at(-2)).toMatchObject({ type: "block", of: "text", text: "Hello there, friend." });
  });

  it("gives parallel calls in their order and finishes with calls, whatever word the provider uses", async () => {
    const parts = content(await ask(engine(), "sum"));
    expect(parts.map((part) => (part.type === "call" ? part.args : part.type))).toEqual([{ a: 2, b: 3 }, { a: 4, b: 5 }, "finish"]);
    expect(parts.at(-1)).toMatchObject({ reason: "calls" });
  });

  it("goes on from the results of its calls", async () => {
    const history = [
      message("user", "what is it?"),
      message("model", [{ type: "call", callId: "abcdefghi", name: "add", args: { a: 2, b: 3 } }], { provider: engine().provider }),
      message("tool", [{ type: "result", callId: "abcdefghi", name: "add", content: [{ type: "json", value: 5 }], isError: false }]),
    ];
    expect(content(await ask(engine(), request(history))).at(-2)).toMatchObject({ type: "block", text: "It is 5." });
  });

  it.skipIf(model === "gpt-4o")("tells thinking from the answer", async () => {
    const blocks = content(await ask(engine(), "think")).filter((part) => part.type === "block");
    expect(blocks).toMatchObject([
      { of: "reasoning", text: "first this, then that" },
      { of: "text", text: "Done." },
    ]);
  });
});
