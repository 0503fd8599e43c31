import { describe, expect, it } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import { ask, message, rejection, request } from "./ask.ts";

describe("ScriptedEngine", () => {
  it("gives reasoning, text and calls in this order, each block after its deltas", async () => {
    const engine = new ScriptedEngine([{ text: "héllo 👋🏽 you", reasoning: "hm", calls: [{ name: "add", args: { a: 1 } }], deltas: 4 }]);
    const parts = await ask(engine, "hi");
    const deltas = parts.flatMap((part) => (part.type === "delta" && part.of === "text" ? [part.text] : []));
    expect(deltas).toHaveLength(4);
    expect(deltas.join("")).toBe("héllo 👋🏽 you");
    expect(parts.filter((part) => part.type !== "delta")).toMatchObject([
      { type: "block", of: "reasoning", text: "hm" },
      { type: "block", of: "text", text: "héllo 👋🏽 you" },
      { type: "call", name: "add", args: { a: 1 } },
      { type: "finish", reason: "calls", usage: { inputTokens: 0, costUsd: 0 } },
    ]);
  });

  it("plays its steps in order: texts, replies, functions and errors", async () => {
    const broken = new FlowerError("overloaded", "busy");
    const engine = new ScriptedEngine([
      "one",
      { text: "two", finish: "length", usage: { inputTokens: 5 } },
      (asked) => `saw ${asked.model}`,
      broken,
    ]);
    expect(await ask(engine, "a")).toContainEqual({ type: "block", of: "text", text: "one" });
    expect((await ask(engine, "b")).at(-1)).toMatchObject({ reason: "length", usage: { inputTokens: 5, outputTokens: 0 } });
    expect(await ask(engine, "c")).toContainEqual({ type: "block", of: "text", text: "saw scripted-1" });
    expect(await rejection(ask(engine, "d"))).toBe(broken);
    engine.assertComplete();
  });

  it("can be one function of the request and the call's number", async () => {
    const engine = new ScriptedEngine(async (asked, n) => ({ text: `${n}:${asked.messages.length}` }));
    await ask(engine, "a");
    expect(await ask(engine, request([message("user", "a"), message("user", "b")]))).toContainEqual({
      type: "block",
      of: "text",
      text: "2:2",
    });
  });

  it("refuses a call that the script does not foresee, naming it and what was asked", async () => {
    const engine = new ScriptedEngine(["one"]);
    await ask(engine, "first");
    expect(await rejection(ask(engine, "what now?"))).toMatchObject({
      code: "bad-config",
      message: expect.stringMatching(/call 2 .*1 step.*what now\?/),
    });
  });

  it("fails assertComplete while steps are left", async () => {
    const engine = new ScriptedEngine(["one", "two"]);
    await ask(engine, "hi");
    expect(() => engine.assertComplete()).toThrow(/2 steps.*1 calls/);
  });

  it("records each request as it was, also when the history grows later", async () => {
    const live = [message("user", "hi")];
    const engine = new ScriptedEngine(["one"]);
    await ask(engine, request(live));
    live.push(message("model", "one"));
    expect(engine.requests[0]?.messages).toHaveLength(1);
  });

  it("shares script and record with its other models", async () => {
    const engine = new ScriptedEngine(["one", "two"]);
    await ask(engine, "a");
    expect(await ask(engine.withModel("m-2"), "b")).toContainEqual({ type: "block", of: "text", text: "two" });
    expect(engine.requests.map((each) => each.model)).toEqual(["scripted-1", "m-2"]);
    engine.assertComplete();
  });

  it("asks nothing once aborted, and ends with the signal's reason in mid-reply and while it waits", async () => {
    const reason = new Error("enough");
    const engine = new ScriptedEngine([{ text: "abcdef", deltas: 6 }, { text: "late", delayMs: 1e9 }, () => new Promise(() => {})]);
    expect(await rejection(ask(engine, "x", AbortSignal.abort(reason)))).toBe(reason);
    expect(engine.requests).toHaveLength(0);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _part of engine.stream(request("x"), { signal: controller.signal })) controller.abort(reason);
    })();
    expect(await rejection(reading)).toBe(reason);
    for (const _wait of ["timer", "promise"]) {
      const later = new AbortController();
      const asking = rejection(ask(engine, "x", later.signal));
      later.abort(reason);
      expect(await asking).toBe(reason);
    }
  });
});
