import { describe, expect, it } from "vitest";
import { type AiSdkModel, fromAiSdk } from "../../src/engines/index.ts";
import { ask, content, rejection, request } from "./ask.ts";

/** A model of the specification that streams these parts. */
function model(version: string, parts: readonly unknown[], provider = "acme.chat"): AiSdkModel & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    specificationVersion: version,
    provider,
    modelId: "m-1",
    async doStream(options: unknown) {
      asked.push(options);
      const stream = new ReadableStream<unknown>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

const text = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "hi" },
  { type: "text-end", id: "1" },
];
const call = { type: "tool-call", toolCallId: "x", toolName: "add", input: "{}" };
const usage = { inputTokens: { total: 10, noCache: undefined, cacheRead: 4, cacheWrite: 1 }, outputTokens: { total: 3 } };
const finish = (unified: string, raw?: string) => ({ type: "finish", usage, finishReason: { unified, raw } });
const last = async (engine: AiSdkModel) => (await ask(fromAiSdk(engine), "hi")).at(-1);

describe("fromAiSdk", () => {
  it.each(["v3", "v4"])("reads finish and usage of version %s", async (version) => {
    expect(await last(model(version, [...text, finish("stop", "end")]))).toMatchObject({
      reason: "stop",
      usage: { inputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 1, outputTokens: 3 },
    });
  });

  it.each([
    ["acme.chat", { inputTokens: 6, cacheReadTokens: 4, cacheWriteTokens: 0 }],
    ["anthropic.messages", { inputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: 2 }],
  ])("reads finish and usage of version 2 as %s counts", async (provider, expected) => {
    const flat = { inputTokens: 10, outputTokens: 3, totalTokens: 13, cachedInputTokens: 4 };
    const metadata = provider.startsWith("anthropic") ? { providerMetadata: { anthropic: { cacheCreationInputTokens: 2 } } } : {};
    const end = { type: "finish", usage: flat, finishReason: "stop", ...metadata };
    expect(await last(model("v2", [...text, end], provider))).toMatchObject({ reason: "stop", usage: { ...expected, outputTokens: 3 } });
  });

  it.each([
    ["tool-calls", "tool_use", [call], "calls"],
    ["stop", "stop", [call], "calls"],
    ["other", "FUNCTION_CALL", [call], "calls"],
    ["length", "max_tokens", text, "length"],
    ["content-filter", "SAFETY", text, "content-filter"],
  ])("finish %s (%s) with %o is %s", async (unified, raw, parts, expected) => {
    expect(await last(model("v3", [...parts, finish(unified, raw)]))).toMatchObject({ reason: expected });
  });

  it.each([
    ["other", "OTHER", text],
    ["other", undefined, [call]],
    ["error", undefined, text],
    ["unknown", undefined, text],
  ])("finish %s (%s) is stream-cut", async (unified, raw, parts) => {
    expect(await rejection(last(model("v3", [...parts, finish(unified, raw)])))).toMatchObject({ code: "stream-cut" });
  });

  it("has no part after the finish and takes none for tools that the provider runs itself", async () => {
    const parts = await ask(fromAiSdk(model("v3", [{ ...call, providerExecuted: true }, ...text, finish("stop", "x"), ...text])), "hi");
    expect(content(parts).map((part) => part.type)).toEqual(["delta", "block", "finish"]);
  });

  it("closes a block that the provider left open", async () => {
    expect(content(await ask(fromAiSdk(model("v3", [...text.slice(0, 2), finish("stop", "x")])), "hi"))).toMatchObject([
      { type: "delta" },
      { type: "block", text: "hi" },
      { type: "finish" },
    ]);
  });

  it("passes settings, tools and options on, and our names of providers in theirs", async () => {
    const acme = model("v3", [...text, finish("stop", "x")]);
    const settings = {
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 77,
      stopSequences: ["END"],
      toolChoice: { tool: "add" },
      providerOptions: { gemini: { a: 1 }, acme: { b: 2 } },
    } as const;
    await ask(fromAiSdk(acme), request("hi", { settings }));
    expect(acme.asked[0]).toMatchObject({
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 77,
      stopSequences: ["END"],
      includeRawChunks: true,
      tools: [{ type: "function", name: "add" }],
      toolChoice: { type: "tool", toolName: "add" },
      providerOptions: { google: { a: 1 }, acme: { b: 2 } },
    });
  });

  it("sends neither tools nor a choice when none are on offer, and a cap only where one is demanded", async () => {
    const acme = model("v3", [...text, finish("stop", "x")]);
    const claude = model("v3", [...text, finish("stop", "x")], "anthropic.messages");
    for (const each of [acme, claude]) await ask(fromAiSdk(each), request("hi", { tools: [], settings: { toolChoice: "none" } }));
    expect(acme.asked[0]).not.toHaveProperty("tools");
    expect(acme.asked[0]).not.toHaveProperty("toolChoice");
    expect(acme.asked[0]).not.toHaveProperty("maxOutputTokens");
    expect(claude.asked[0]).toHaveProperty("maxOutputTokens", 8192);
  });

  it.each([
    ["openai.responses", "openai"],
    ["anthropic.messages", "anthropic"],
    ["google.generative-ai", "gemini"],
    ["groq.chat", "groq"],
  ])("calls %s %s", (theirs, ours) => {
    expect(fromAiSdk(model("v3", [], theirs)).provider).toBe(ours);
  });

  it("changes the model only when told how", () => {
    expect(() => fromAiSdk(model("v3", [])).withModel("m-2")).toThrow(/bound to m-1/);
    const other = { ...model("v3", []), modelId: "m-2" };
    expect(fromAiSdk(model("v3", []), { withModel: () => other }).withModel("m-2").model).toBe("m-2");
  });
});
