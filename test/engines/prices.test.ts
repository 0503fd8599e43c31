import { describe, expect, it } from "vitest";
import { costOf, windowOf } from "../../src/engines/index.ts";

const usage = { inputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100_000 };

describe("costOf", () => {
  it.each([
    ["openai", "gpt-4o"],
    ["openai", "gpt-4o-2024-08-06"],
    ["anthropic", "claude-sonnet-4-5"],
    ["gemini", "gemini-2.5-flash"],
    ["gemini", "models/gemini-2.5-flash"],
    ["xai", "grok-4"],
  ])("prices %s %s", async (provider, model) => {
    expect(await costOf(provider, model, usage)).toBeGreaterThan(0.1);
  });

  it("charges cached input less than fresh input, and written cache more", async () => {
    const cost = (read: number, write: number) =>
      costOf("anthropic", "claude-haiku-4-5", {
        ...usage,
        inputTokens: 100_000 - read - write,
        cacheReadTokens: read,
        cacheWriteTokens: write,
      });
    const [fresh, read, written] = await Promise.all([cost(0, 0), cost(90_000, 0), cost(0, 90_000)]);
    expect(read).toBeLessThan(fresh as number);
    expect(written).toBeGreaterThan(fresh as number);
  });

  it.each([
    ["openai", "no-such-model"],
    ["ollama", "gpt-oss:20b"],
    ["scripted", "gpt-4o"],
  ])("does not know what %s %s costs", async (provider, model) => {
    expect(await costOf(provider, model, usage)).toBeUndefined();
  });

  it("knows a provider of another name by its address", async () => {
    expect(await costOf("fast", "llama-3.3-70b-versatile", usage, "https://api.groq.com/openai/v1")).toBeGreaterThan(0);
  });

  it("takes a usage without tokens for unknown, not for free", async () => {
    expect(await costOf("openai", "gpt-4o", { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 })).toBeUndefined();
  });
});

it("windowOf knows the windows of common models, and says so when it does not", async () => {
  expect(await windowOf("openai", "gpt-4o")).toBe(128_000);
  expect(await windowOf("anthropic", "claude-sonnet-4-5")).toBe(200_000);
  expect(await windowOf("ollama", "llama3")).toBeUndefined();
});
