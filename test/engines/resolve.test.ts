import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { engineFor, fallback, openai, openaiCompatible, resolveEngine } from "../../src/engines/index.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { ask, rejection } from "./ask.ts";

const shown = (engine: Engine) => `${engine.provider} ${engine.model} ${engine.endpoint}`;
const GEMINI = "https://generativelanguage.googleapis.com/v1beta";

describe("resolveEngine", () => {
  it.each([
    ["openai/gpt-4o", "openai gpt-4o https://api.openai.com/v1"],
    ["gpt-4o", "openai gpt-4o https://api.openai.com/v1"],
    ["o3-mini", "openai o3-mini https://api.openai.com/v1"],
    ["claude-opus-4-6", "anthropic claude-opus-4-6 https://api.anthropic.com/v1"],
    ["gemini-2.5-pro", `gemini gemini-2.5-pro ${GEMINI}`],
    ["ollama/hf.co/some/model", "ollama hf.co/some/model http://localhost:11434/v1"],
  ])("finds the provider of %s", (model, expected) => {
    expect(shown(resolveEngine({ model, env: { GEMINI_API_KEY: "k" } }))).toBe(expected);
  });

  it("goes by FLOWER_MODEL when no model is named", () => {
    expect(resolveEngine({ env: { FLOWER_MODEL: "claude-sonnet-4-6", GEMINI_API_KEY: "k" } }).provider).toBe("anthropic");
  });

  it.each([
    [{ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, "gemini"],
    [{ GOOGLE_API_KEY: "k", OPENAI_API_KEY: "k" }, "gemini"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, "gemini"],
    [{ GEMINI_API_KEY: " ", ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, "anthropic"],
    [{ OPENAI_API_KEY: "k", OLLAMA_BASE_URL: "http://box:11434" }, "openai"],
    [{ OLLAMA_BASE_URL: "http://box:11434/" }, "ollama"],
  ])("takes the first provider that %o gives a key for: %s", (env, provider) => {
    expect(resolveEngine({ env }).provider).toBe(provider);
  });

  it.each([
    ["AIzaSyABCDEF", "gemini"],
    ["sk-ant-abc", "anthropic"],
    ["sk-proj-abc", "openai"],
  ])("gives a bare apiKey %s to its own provider only", (apiKey, provider) => {
    expect(resolveEngine({ apiKey, env: { GEMINI_API_KEY: "k" } }).provider).toBe(provider);
  });

  it("gives an apiKey that tells nothing to nobody", () => {
    expect(() => resolveEngine({ apiKey: "abc", env: { OPENAI_API_KEY: "k" } })).toThrow(/name the model/);
  });

  it("says what to set when nothing is set, in three lines", () => {
    const error = (() => {
      try {
        resolveEngine({ env: {} });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: "no-engine" });
    const lines = String(error)
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines).toHaveLength(3);
    expect(lines.join()).toMatch(/GEMINI_API_KEY.*ANTHROPIC_API_KEY.*OPENAI_API_KEY.*OLLAMA_BASE_URL/);
  });

  it("names the providers that exist when the model's does not", () => {
    expect(() => resolveEngine({ model: "grok/grok-4", env: {} })).toThrow(/gemini, anthropic, openai, ollama/);
  });

  it("needs no key to be made; without one the first request fails as auth before anything is sent", async () => {
    expect(await rejection(ask(resolveEngine({ model: "gpt-4o", env: {} }), "hi"))).toMatchObject({
      code: "auth",
      message: "OpenAI needs a key. Set OPENAI_API_KEY or pass apiKey.",
    });
  });
});

describe("engineFor", () => {
  const own = openai("gpt-4o", { apiKey: "k" });
  const local = openai("gpt-4o", { apiKey: null, baseURL: "http://localhost:4000" });
  const router = openaiCompatible({ name: "openrouter", model: "x", baseURL: "https://openrouter.ai/api/v1", apiKey: "k" });

  it.each([
    [own, "openai/gpt-5", "gpt-5"],
    [own, "gpt-5", "gpt-5"],
    [own, "my-fine-tune", "my-fine-tune"],
    [local, "claude-sonnet-4-6", "claude-sonnet-4-6"],
    [router, "openai/gpt-4o", "openai/gpt-4o"],
    [router, "openrouter/auto", "auto"],
    [new ScriptedEngine([]), "gpt-5", "gpt-5"],
    [new ScriptedEngine([]), "scripted/two", "two"],
  ])("of %o with %s asks for %s", (engine, model, id) => {
    expect(shown(engineFor(engine, model))).toBe(shown(engine.withModel(id)));
  });

  it.each([
    [own, "anthropic/claude-sonnet-4-6"],
    [own, "claude-sonnet-4-6"],
    [new ScriptedEngine([]), "openai/gpt-4o"],
    [new ScriptedEngine([], { provider: "openai" }), "gemini-2.5-flash"],
  ])("of %o refuses %s before any request", (engine, model) => {
    expect(() => engineFor(engine, model)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });

  it("leaves the engine as it is without a model, and with its own", () => {
    const engine = fallback([own]);
    expect(engineFor(engine, undefined)).toBe(engine);
    expect(engineFor(engine, "openai/gpt-4o")).toBe(engine);
  });
});
