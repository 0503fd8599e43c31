import { describe, expect, it } from "vitest";
import { type ErrorCode, FlowerError } from "../../src/core/errors.ts";
import type { Engine, EnginePart } from "../../src/engines/engine.ts";
import { fallback } from "../../src/engines/index.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { ask, content, message, rejection, request } from "./ask.ts";

const fails = (code: ErrorCode) => new ScriptedEngine(() => new FlowerError(code, code), { provider: "first" });
const answers = () => new ScriptedEngine(["ok"], { provider: "second" });

/** An engine that streams just these parts, then fails. */
function breaking(parts: readonly EnginePart[]): Engine {
  return {
    provider: "first",
    model: "m",
    async *stream() {
      yield* parts;
      throw new FlowerError("stream-cut", "cut");
    },
    withModel: () => breaking(parts),
  };
}

describe("fallback", () => {
  it.each(["offline", "overloaded", "rate-limited", "stream-cut", "quota", "auth"] as const)(
    "goes on to the next engine after %s",
    async (code) => {
      expect(content(await ask(fallback([fails(code), answers()]), "hi"))).toContainEqual({ type: "block", of: "text", text: "ok" });
    },
  );

  it.each(["bad-request", "context-overflow", "content-filter", "unknown"] as const)("stops at %s", async (code) => {
    const next = answers();
    expect(await rejection(ask(fallback([fails(code), next]), "hi"))).toMatchObject({ code });
    expect(next.requests).toHaveLength(0);
  });

  it("stays with an engine that has begun to answer; signs of life are no answer", async () => {
    const begun = fallback([breaking([{ type: "delta", of: "text", text: "Hel" }]), answers()]);
    expect(await rejection(ask(begun, "hi"))).toMatchObject({ code: "stream-cut" });
    const silent = fallback([breaking([{ type: "alive" }]), answers()]);
    expect((await ask(silent, "hi")).at(-1)).toMatchObject({ type: "finish" });
  });

  it("never goes on after an abort", async () => {
    const controller = new AbortController();
    const first = new ScriptedEngine(() => {
      controller.abort("stop");
      return new FlowerError("overloaded", "busy");
    });
    const next = answers();
    await rejection(ask(fallback([first, next]), "hi", controller.signal));
    expect(next.requests).toHaveLength(0);
  });

  it("throws the error that a retry may help against when all have failed", async () => {
    expect(await rejection(ask(fallback([fails("overloaded"), fails("auth")]), "hi"))).toMatchObject({ code: "overloaded" });
    expect(await rejection(ask(fallback([fails("auth"), fails("quota")]), "hi"))).toMatchObject({ code: "quota" });
  });

  it("brings metadata back to the engine that wrote it, and to no other", async () => {
    const thought = { type: "block", of: "reasoning", text: "hm", providerMetadata: { second: { seal: "S" } } } as const;
    const seen: string[] = [];
    const second: Engine = {
      provider: "second",
      model: "m",
      async *stream(asked) {
        seen.push(JSON.stringify(asked.messages));
        yield thought;
      },
      withModel: () => second,
    };
    const first = fails("overloaded");
    const both = fallback([first, second]);
    const [block] = await ask(both, "hi");
    const metadata = block?.type === "block" ? block.providerMetadata : undefined;
    const reply = message("model", [{ type: "reasoning", text: "hm", providerMetadata: metadata ?? null }], { provider: both.provider });
    await ask(both, request([message("user", "hi"), reply, message("user", "go on")]));
    expect(seen[1]).toContain('"provider":"second"');
    expect(seen[1]).toContain('"providerMetadata":{"second":{"seal":"S"}}');
    expect(first.requests[1]?.messages[1]).toMatchObject({ provider: "second" });
  });

  it("needs an engine, and is known by the first one's name", () => {
    expect(() => fallback([])).toThrow(/at least one/);
    expect(fallback([fails("auth"), answers()])).toMatchObject({ provider: "first", model: "scripted-1" });
  });
});
