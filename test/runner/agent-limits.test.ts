import { describe, expect, it } from "vitest";
import { Agent, type AgentLimits } from "../../src/agents/agent.ts";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import { calling, deferred, eventsOf, ofKind, plainTool, rejection, STORES, settle, stage, stoppedClock } from "./stage.ts";

const look = plainTool("look");

function limited(limits: AgentLimits, more: Partial<Agent> = {}): Agent {
  return new Agent({ name: "Limited", tools: [look], limits, ...more });
}

/** A reply that asks for `look` and costs this much; without a figure its price is unknown. */
function costing(costUsd: number | undefined, reply: ScriptedReply = calling("look")): ScriptedReply {
  return { ...reply, usage: { inputTokens: 10, costUsd } };
}

describe.each(STORES)("an agent's time limit over the %s store", (_name, make) => {
  it("stops the turn, naming the limit, and leaves the session as it was", async () => {
    const clock = stoppedClock();
    const startingAgent = limited({ timeoutMs: 5_000 });
    const { runner, engine } = stage(["Hello.", () => new Promise<never>(() => {})], { startingAgent, clock, fixture: make() });
    await runner.run("s", "hi");
    const before = await runner.session("s");
    const turn = rejection(runner.run("s", "think"));
    await settle();
    await clock.advance(4_999);
    expect(engine.requests).toHaveLength(2);
    await clock.advance(1);
    expect(await turn).toMatchObject({
      code: "turn-timeout",
      message: expect.stringMatching(/5 s \(limits.timeoutMs of agent "Limited"\)/),
    });
    const after = await runner.session("s");
    expect(after?.history).toEqual(before?.history);
    expect(after?.turns.at(-1)?.status).toBe("rolled-back");
  });
});

describe("an agent's time limit", () => {
  it.each([
    [2_000, 5_000],
    [5_000, 2_000],
  ])("of %d ms beside the caller's of %d ms: the smaller stops the turn", async (ofAgent, timeoutMs) => {
    const clock = stoppedClock();
    const { runner } = stage([() => new Promise<never>(() => {})], { startingAgent: limited({ timeoutMs: ofAgent }), clock });
    const turn = rejection(runner.run("s", "think", { timeoutMs }));
    await settle();
    await clock.advance(2_000);
    expect(await turn).toMatchObject({ code: "turn-timeout", message: expect.stringContaining("after 2 s") });
  });

  it("counts from when the turn has the session to itself", async () => {
    const clock = stoppedClock();
    const gate = deferred();
    const script = [() => gate.promise.then(() => "One."), "Two."];
    const { runner } = stage(script, { startingAgent: limited({ timeoutMs: 1_000 }), clock });
    const first = rejection(runner.run("s", "one"));
    const second = runner.run("s", "two");
    await settle();
    await clock.advance(1_000);
    expect(await first).toMatchObject({ code: "turn-timeout" });
    gate.resolve();
    expect((await second).content).toBe("Two.");
  });

  it("leaves no timer behind when the turn is over, and sets none without a limit", async () => {
    const clock = stoppedClock();
    const { runner } = stage(["One.", "Two."], { startingAgent: limited({ timeoutMs: 1_000 }), clock });
    await runner.run("s", "hi");
    expect(clock.timers).toBe(0);
    let timers = 0;
    const script = () => {
      timers = clock.timers;
      return "Free.";
    };
    const free = stage(script, { clock, idleTimeoutMs: Infinity });
    await free.runner.run("s", "hi", { timeoutMs: Infinity });
    expect(timers).toBe(0);
  });

  it("holds while that agent has the turn: after a transfer the next one's does, counted from the turn's start", async () => {
    const clock = stoppedClock();
    const hang = () => new Promise<never>(() => {});
    const slow = limited({ timeoutMs: 10_000 }, { name: "Slow" });
    const startingAgent = limited({ timeoutMs: 2_000 }, { handoffs: [slow] });
    const first = deferred();
    const script = [() => first.promise.then(() => calling("transfer_to_slow")), hang];
    const { runner, engine } = stage(script, { startingAgent, clock });
    const turn = rejection(runner.run("s", "go"));
    await clock.advance(1_000);
    first.resolve();
    await settle();
    await clock.advance(8_999);
    expect(engine.requests).toHaveLength(2);
    await clock.advance(1);
    expect(await turn).toMatchObject({
      code: "turn-timeout",
      message: expect.stringContaining('after 10 s (limits.timeoutMs of agent "Slow")'),
    });
  });

  it("holds for a turn that goes on after a decision", async () => {
    const clock = stoppedClock();
    const paid = deferred();
    const pay = plainTool("pay", () => paid.promise, { needsApproval: true });
    const { runner } = stage([calling("pay")], { startingAgent: limited({ timeoutMs: 3_000 }, { tools: [pay] }), clock });
    const { pending } = await runner.run("s", "pay");
    await clock.advance(60_000);
    const resumed = rejection(runner.resume("s", [{ callId: pending[0]!.callId, approve: true }]));
    await settle();
    await clock.advance(3_000);
    expect(await resumed).toMatchObject({ code: "turn-timeout" });
    paid.reject(new Error("too late"));
  });
});

describe.each(STORES)("an agent's limit in money over the %s store", (_name, make) => {
  it("lets no further model call happen once it is reached: the turn fails with what was spent, and leaves nothing", async () => {
    const script = [costing(0.2), costing(0.3), "never", costing(0.1, { text: "Cheap." })];
    const { runner, engine, store } = stage(script, { startingAgent: limited({ maxBudgetUsd: 0.5 }), fixture: make() });
    const run = runner.stream("s", "search");
    expect(await rejection(run.response)).toMatchObject({
      code: "budget",
      message: expect.stringContaining('limits.maxBudgetUsd of agent "Limited" is $0.5'),
      details: { agent: "Limited", limitUsd: 0.5, costUsd: 0.5, iterations: 2, usage: { inputTokens: 20 } },
    });
    expect(engine.requests).toHaveLength(2);
    expect(await runner.session("s")).toBeUndefined();
    const [turn] = await store.turns("s");
    expect(turn?.status).toBe("rolled-back");
    expect(ofKind(await eventsOf(run), "result")).toMatchObject([{ payload: { isError: true, errorKind: "budget", costUsd: 0.5 } }]);
  });
});

describe("an agent's limit in money", () => {
  it("counts each turn anew, and does not take away an answer that was the last call", async () => {
    const answer = costing(0.9, { text: "Dear." });
    const { runner } = stage([answer, answer], { startingAgent: limited({ maxBudgetUsd: 0.5 }) });
    expect(await runner.run("s", "one")).toMatchObject({ content: "Dear.", usage: { costUsd: 0.9 } });
    expect(await runner.run("s", "two")).toMatchObject({ content: "Dear." });
  });

  it("of 0 allows no model call", async () => {
    const { runner, engine } = stage(["never"], { startingAgent: limited({ maxBudgetUsd: 0 }) });
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "budget", details: { costUsd: 0 } });
    expect(engine.requests).toHaveLength(0);
  });

  it("also stands before the last word of a model that is at its limit of iterations and calls tools all the same", async () => {
    const { runner, engine } = stage([costing(0.1), costing(0.4), "never"], {
      startingAgent: limited({ maxBudgetUsd: 0.5, maxIterations: 1 }),
    });
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({ code: "budget" });
    expect(engine.requests).toHaveLength(2);
  });

  it("is the next agent's after a transfer, for what the whole turn has cost", async () => {
    const thrifty = limited({ maxBudgetUsd: 0.1 }, { name: "Thrifty" });
    const startingAgent = new Agent({ name: "Rich", handoffs: [thrifty] });
    const { runner, engine } = stage([costing(0.2, calling("transfer_to_thrifty")), "never"], { startingAgent });
    expect(await rejection(runner.run("s", "go"))).toMatchObject({ code: "budget", details: { agent: "Thrifty", costUsd: 0.2 } });
    expect(engine.requests).toHaveLength(1);
  });

  it("counts what a turn had cost before it waited for a decision; refused, it stays open", async () => {
    const pay = plainTool("pay", undefined, { needsApproval: true });
    const startingAgent = limited({ maxBudgetUsd: 0.5 }, { tools: [pay] });
    const { runner } = stage([costing(0.5, calling("pay")), "never"], { startingAgent });
    const { pending } = await runner.run("s", "pay");
    const decisions = [{ callId: pending[0]!.callId, approve: true }];
    expect(await rejection(runner.resume("s", decisions))).toMatchObject({ code: "budget" });
    expect(await runner.discard("s")).toBe(true);
  });

  it("cannot be kept when a price is unknown: that is an error before the next call, not a limit that looks like one", async () => {
    const { runner, engine } = stage([costing(undefined), "never"], { startingAgent: limited({ maxBudgetUsd: 5 }) });
    expect(await rejection(runner.run("s", "hi"))).toMatchObject({
      code: "bad-config",
      message: expect.stringMatching(/"Limited" has a limits.maxBudgetUsd, but what scripted-1 costs is not known/),
      details: { limitUsd: 5, iterations: 1 },
    });
    expect(engine.requests).toHaveLength(1);
    expect(await runner.session("s")).toBeUndefined();
  });

  it("of Infinity is none, whatever a model costs", async () => {
    const { runner } = stage([costing(undefined), costing(undefined, { text: "Done." })], {
      startingAgent: limited({ maxBudgetUsd: Infinity, timeoutMs: Infinity }),
    });
    expect((await runner.run("s", "hi")).content).toBe("Done.");
  });
});
