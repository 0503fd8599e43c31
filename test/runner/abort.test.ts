import { describe, expect, it } from "vitest";
import type { Engine, EnginePart } from "../../src/engines/engine.ts";
import type { JournalEntry } from "../../src/sessions/store.ts";
import { calling, deferred, plainTool, rejection, STORES, settle, stage } from "./stage.ts";

const reason = { why: "the client left" };

/** An engine that says these parts and then falls silent, deaf to its signal. */
function silentAfter(parts: readonly EnginePart[], silent: () => void): Engine {
  const engine: Engine = {
    provider: "silent",
    model: "silent-1",
    async *stream() {
      yield* parts;
      silent();
      await new Promise(() => {});
    },
    withModel: () => engine,
  };
  return engine;
}

describe.each(STORES)("an abort over the %s store", (_name, make) => {
  it("before the call rejects with its reason and calls nothing", async () => {
    const { runner, engine, store } = stage([], { fixture: make() });
    expect(await rejection(runner.run("s", "hi", { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(engine.requests).toHaveLength(0);
    expect(await store.turns("s")).toEqual([]);
  });

  it("before the first token ends the wait for a deaf model", async () => {
    const controller = new AbortController();
    const silent = deferred();
    const { runner, store } = stage([], { engine: silentAfter([], silent.resolve), fixture: make() });
    const failure = rejection(runner.run("s", "hi", { signal: controller.signal }));
    await silent.promise;
    controller.abort(reason);
    expect(await failure).toBe(reason);
    const [turn] = await store.turns("s");
    expect((await store.journal("s", turn!.turnId)).map((entry) => entry.type)).toEqual(["message"]);
  });

  it("in the middle of a text keeps what was shown in the journal, and out of the history", async () => {
    const silent = deferred();
    const parts = ["All is ", "w"].map((text) => ({ type: "delta", of: "text", text }) as const);
    const { runner, store } = stage([], { engine: silentAfter(parts, silent.resolve), fixture: make() });
    const run = runner.stream("s", "hi");
    await silent.promise;
    run.abort(new Error("enough"));
    await rejection(run.response);
    const [turn] = await store.turns("s");
    expect((await store.journal("s", turn!.turnId)).at(-1)).toEqual<JournalEntry>({
      type: "aborted",
      text: "All is w",
      reason: "Error: enough",
    });
    expect(await store.read("s")).toBeUndefined();
  });

  it("inside a deaf tool does not wait for it, drops its late result, and frees the session", async () => {
    const working = deferred();
    const gate = deferred();
    const deaf = plainTool("deaf", async () => {
      working.resolve();
      await gate.promise;
      return "late";
    });
    const { runner, engine, store } = stage([calling("deaf"), "Hello."], { tools: [deaf], fixture: make() });
    const run = runner.stream("s", "go");
    await working.promise;
    run.abort(reason);
    expect(await rejection(run.response)).toBe(reason);
    expect((await runner.run("s", "hi")).content).toBe("Hello.");
    gate.resolve();
    await settle();
    expect(engine.requests[1]?.messages).toHaveLength(1);
    const [turn] = await store.turns("s");
    expect(JSON.stringify(await store.journal("s", turn!.turnId))).not.toContain("late");
  });

  it("of a queued turn takes it out of the line, and calls nothing for it", async () => {
    const gate = deferred();
    const controller = new AbortController();
    const script = [() => gate.promise.then(() => "One."), "Two."];
    const { runner, engine } = stage(script, { fixture: make() });
    const first = runner.run("s", "first");
    const second = rejection(runner.run("s", "second", { signal: controller.signal }));
    const third = runner.run("s", "third");
    await settle();
    controller.abort(reason);
    expect(await second).toBe(reason);
    gate.resolve();
    expect([(await first).content, (await third).content]).toEqual(["One.", "Two."]);
    expect(engine.requests).toHaveLength(2);
  });

  it("of a paused turn comes too late: it stays paused", async () => {
    const controller = new AbortController();
    const fixture = make();
    const tools = [plainTool("pay", undefined, { needsApproval: true })];
    const { runner } = stage([calling("pay"), "Paid."], { tools, fixture });
    const run = runner.stream("s", "pay", { signal: controller.signal });
    const { pending } = await run.response;
    controller.abort(reason);
    run.abort(reason);
    await settle();
    expect((await runner.resume("s", [{ callId: pending[0]!.callId, approve: true }])).content).toBe("Paid.");
  });
});
