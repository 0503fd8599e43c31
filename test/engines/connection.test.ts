import { afterEach, describe, expect, it, vi } from "vitest";
import { connectionOf } from "../../src/engines/connection.ts";
import { anthropic, openai, openaiCompatible } from "../../src/engines/index.ts";
import type { ProviderName } from "../../src/engines/provider-table.ts";
import { providerEngine } from "../../src/engines/providers.ts";
import { ask } from "./ask.ts";
import { events, serve } from "./server.ts";
import { KEY, WIRES } from "./wires.ts";

const wire = (name: string) => WIRES.find((each) => each.name === name) as (typeof WIRES)[number];
const reply = (name: string) => events([...wire(name).begin("ok"), ...wire(name).end]);

describe("connectionOf", () => {
  it.each<[ProviderName, string, string]>([
    ["openai", "http://host:1", "http://host:1/v1"],
    ["openai", "http://host:1/", "http://host:1/v1"],
    ["openai", "http://host:1/v1", "http://host:1/v1"],
    ["openai", "http://host:1/v1//", "http://host:1/v1"],
    ["openai", "http://host:1/proxy", "http://host:1/proxy/v1"],
    ["openai", "http://host:1/api/paas/v4", "http://host:1/api/paas/v4"],
    ["openai", "http://host:1/v1beta/openai/", "http://host:1/v1beta/openai"],
    ["ollama", "http://host:1", "http://host:1/v1"],
    ["anthropic", "http://host:1", "http://host:1/v1"],
    ["gemini", "http://host:1", "http://host:1/v1beta"],
    ["gemini", "http://host:1/v1beta/", "http://host:1/v1beta"],
  ])("takes %s at %s for %s", (provider, baseURL, expected) => {
    expect(connectionOf(provider, { baseURL, apiKey: null }, {}).baseURL).toBe(expected);
  });

  it("sends a key of the environment to the provider's own host", () => {
    expect(connectionOf("openai", {}, { OPENAI_API_KEY: "env" })).toMatchObject({ own: true, apiKey: "env" });
    expect(connectionOf("openai", { baseURL: "https://api.openai.com" }, { OPENAI_API_KEY: "env" })).toMatchObject({ apiKey: "env" });
  });

  it("sends a key of the environment to the address of the same environment", () => {
    const env = { OPENAI_API_KEY: "env", OPENAI_BASE_URL: "http://proxy:1" };
    expect(connectionOf("openai", {}, env)).toEqual({ baseURL: "http://proxy:1/v1", own: false, apiKey: "env" });
  });

  it("refuses a custom address that comes without a word about the key", () => {
    for (const env of [{ OPENAI_API_KEY: "env" }, { OPENAI_API_KEY: "env", OPENAI_BASE_URL: "http://proxy:1" }]) {
      expect(() => connectionOf("openai", { baseURL: "http://elsewhere:1" }, env)).toThrow(/apiKey: null/);
    }
  });

  it("asks for no key where there is none", () => {
    expect(connectionOf("ollama", {}, {})).toMatchObject({ baseURL: "http://localhost:11434/v1", apiKey: null });
  });

  it.each(["localhost:11434", "ftp://x", "http://x?key=1", "http://u:p@x", ""])("refuses the address %o", (baseURL) => {
    expect(() => connectionOf("openai", { baseURL, apiKey: null }, {})).toThrow(expect.objectContaining({ code: "bad-config" }));
  });
});

describe("named providers", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Leads requests for the provider's own host to the local server. */
  function redirect(url: string): string[] {
    const asked: string[] = [];
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (input: string, init: RequestInit) => {
      asked.push(input);
      return real(url + new URL(input).pathname, init);
    });
    return asked;
  }

  it("OpenAI's own host is asked by Responses with nothing stored there", async () => {
    await using server = await serve(reply("openai responses"));
    const asked = redirect(server.url);
    await ask(providerEngine("openai", "gpt-5", {}, { OPENAI_API_KEY: KEY }), "hi");
    expect(asked).toEqual(["https://api.openai.com/v1/responses"]);
    expect(server.requests[0]).toMatchObject({ body: { store: false, stream: true }, headers: { authorization: `Bearer ${KEY}` } });
  });

  it("Anthropic's own host is asked to cache, and always with a cap", async () => {
    await using server = await serve(reply("anthropic"));
    redirect(server.url);
    await ask(anthropic("claude-sonnet-4-5", { apiKey: KEY }), "hi");
    expect(server.requests[0]?.body).toMatchObject({ cache_control: { type: "ephemeral" }, max_tokens: 8192 });
  });

  it("another host is asked by Chat Completions", async () => {
    await using server = await serve(reply("openai chat"));
    await ask(openai("gpt-4o", { baseURL: server.url, apiKey: KEY }), "hi");
    expect(server.requests[0]?.path).toBe("/v1/chat/completions");
  });

  it.each(["openai", "anthropic", "gemini", "ollama"] as const)(
    "%s sends no key when told so, whatever the environment holds",
    async (name) => {
      vi.stubEnv("OPENAI_API_KEY", "env-key").stubEnv("ANTHROPIC_API_KEY", "env-key").stubEnv("GOOGLE_GENERATIVE_AI_API_KEY", "env-key");
      await using server = await serve(reply(name === "openai" ? "openai chat" : name));
      await ask(providerEngine(name, "m", { baseURL: server.url, apiKey: null }, process.env), "hi");
      vi.unstubAllEnvs();
      const headers = server.requests[0]?.headers ?? {};
      expect(Object.keys(headers).filter((header) => /authorization|api-key/.test(header))).toEqual([]);
    },
  );

  it("withModel keeps address and key", async () => {
    await using server = await serve(reply("openai chat"));
    const engine = openaiCompatible({ name: "acme", model: "a", baseURL: server.url, apiKey: KEY, headers: { "x-team": "7" } });
    await ask(engine.withModel("b"), "hi");
    expect(server.requests[0]).toMatchObject({ body: { model: "b" }, headers: { authorization: `Bearer ${KEY}`, "x-team": "7" } });
  });
});
