import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { systemClock } from "../../src/core/clock.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { costOf } from "../../src/engines/prices.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import { NO_USAGE } from "../../src/messages/usage.ts";
import type { BudgetLimits } from "../../src/runtime/budget.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import { type Bench, openBench, worker } from "./bench.ts";

const CAP = 1_000;
/** What one call of the priced model costs here, in dollars. */
const PRICE = 0.4;

/** A model with a known price that uses its whole cap; `bills` is what it has charged. */
function pricedModel(answer: (request: RecordedRequest, call: number) => ScriptedAnswer, tokens = 150_000) {
  const bills: number[] = [];
  const engine = new ScriptedEngine(
    async (request, call) => {
      const said = answer(request, call);
      if (said instanceof Error) return said;
      const usage = { ...NO_USAGE, inputTokens: tokens, outputTokens: CAP };
      const costUsd = await costOf("openai", "gpt-4o", usage);
      bills.push(costUsd!);
      return { ...(typeof said === "string" ? { text: said } : said), usage: { ...usage, costUsd } };
    },
    { provider: "openai", model: "gpt-4o" },
  );
  const total = () => bills.reduce((sum, usd) => sum + usd, 0);
  return { engine, bills, total };
}

const settings = { maxOutputTokens: CAP };
const MORE: ScriptedReply = { text: "more", calls: [{ name: "nothing" }] };
const start = (name: string) => ({ name: "Agent", args: { description: "d", prompt: "p", subagent_type: name } });

function run(agent: Agent, budget: BudgetLimits, options: RuntimeOptions = {}) {
  const bench: Bench = openBench([], { budget, clock: systemClock, contextHandoff: false, ...options });
  return { bench, result: bench.runtime.run(agent, "go", { onEvent: bench.note }) };
}

test("a call that could exceed the limit is not made, and that is said with what it could take", async () => {
  const model = pricedModel(() => MORE);
  const { bench, result } = run(worker({ engine: model.engine, settings }), { usd: 1 });
  expect(await result).toMatchObject({
    ok: false,
    errorKind: "budget",
    error: expect.stringMatching(/\$0\.\d+ of \$1\.00; the next call could take \$0\.\d+/),
  });
  expect(model.bills).toHaveLength(2);
  expect(model.total()).toBeLessThanOrEqual(1);
  const reached = bench.of("task").filter(({ payload }) => payload.type === "budget" && payload.level === "reached");
  expect(reached.map(({ payload }) => payload)).toEqual([expect.objectContaining({ limit: "usd", of: 1, next: expect.any(Number) })]);
});

test("the first call too is reckoned, from its texts and its cap", async () => {
  const model = pricedModel(() => "done", 10);
  const { result } = run(worker({ engine: model.engine, settings, instructions: "x".repeat(300_000) }), { usd: 0.2 }); // 100,000 tokens at $2.50 a million
  expect(await result).toMatchObject({ ok: false, errorKind: "budget" });
  expect(model.bills).toEqual([]);
});

test("a limit in tokens holds with any model", async () => {
  const reply = { ...MORE, usage: { inputTokens: 5_000, outputTokens: CAP } };
  const engine = new ScriptedEngine(() => reply);
  const { result } = run(worker({ engine, settings }), { tokens: 20_000 });
  expect((await result).usage.inputTokens + (await result).usage.outputTokens).toBeLessThanOrEqual(20_000);
  expect(engine.requests.length).toBeGreaterThanOrEqual(2);
});

test("eight subagents side by side stay within the limit together, and use it", async () => {
  const model = pricedModel((_request, call) => (call === 1 ? { calls: Array.from({ length: 8 }, () => start("digger")) } : MORE), 1);
  const digger = new Agent({ name: "digger", engine: model.engine, settings });
  const { bench, result } = run(worker({ engine: model.engine, settings, subagents: [digger] }), { usd: 0.3 });
  expect(await result).toMatchObject({ ok: false, errorKind: "budget" });
  expect(model.total()).toBeLessThanOrEqual(0.3);
  expect(model.total()).toBeGreaterThan(0.3 - 2 * 0.0125); // those that did not fit beside the others waited for them
  expect((await result).costUsd).toBeCloseTo(model.total(), 6);
  expect(bench.runtime.totalCost()).toBeCloseTo(model.total(), 6);
  expect(bench.runtime.ledger.reserves.usd).toBe(0);
});

test("what failed calls had set aside is free again, for retries and for the others", async () => {
  let calls = 0;
  const model = pricedModel((request, call) => {
    if (call === 1) return { calls: [start("digger"), start("digger"), start("digger")] };
    if (request.messages.length > 2) return "done";
    return calls++ < 3 ? new FlowerError("overloaded", "busy") : "dug";
  });
  const digger = new Agent({ name: "digger", engine: model.engine, settings });
  const agent = worker({ engine: model.engine, settings, subagents: [digger] });
  const { bench, result } = run(agent, { usd: 5 * PRICE + 0.01 }, { resilience: { delayMs: 1 } });
  expect(await result).toMatchObject({ ok: true, text: "done" });
  expect(model.bills).toHaveLength(5);
  expect((await result).costUsd).toBeCloseTo(model.total(), 6);
  expect(bench.runtime.ledger.reserves.tokens).toBe(0);
});

test("an empty reply of a subagent leaves nothing set aside for which another would wait for ever", async () => {
  const model = pricedModel((request, call) => {
    if (call === 1) return { calls: [start("digger"), start("digger")] };
    return request.messages.length > 2 ? "done" : { text: "" };
  });
  const digger = new Agent({ name: "digger", engine: model.engine, settings });
  const { result } = run(worker({ engine: model.engine, settings, subagents: [digger] }), { usd: 10 });
  expect(await result).toMatchObject({ ok: true, text: "done" });
});

test("near a context handoff the price of its document stays free", async () => {
  const model = pricedModel(() => MORE);
  const agent = worker({ engine: model.engine, settings });
  const { result } = run(agent, { usd: 2.5 * PRICE }, { contextHandoff: { window: 200_000, headroom: 45_000 } });
  expect(await result).toMatchObject({ errorKind: "budget" });
  expect(model.bills).toHaveLength(1); // a second would fit, but not a document after it
});

test("an agent's own limit is kept in the same way, and is not the run's", async () => {
  const model = pricedModel(() => MORE);
  const { bench, result } = run(worker({ engine: model.engine, settings, limits: { maxBudgetUsd: 1 } }), {});
  expect(await result).toMatchObject({ ok: false, errorKind: "budget" });
  expect(model.total()).toBeLessThanOrEqual(1);
  expect(bench.runtime.ledger.refused).toBeUndefined();
});

test("no call begins after the limit of time", async () => {
  const bench = openBench([MORE, () => new Promise((resolve) => bench.clock.after(60_000, () => resolve(MORE)))], {
    budget: { wallMs: 60_000 },
  });
  const result = await bench.finish(bench.runtime.run(worker(), "go"));
  expect(result).toMatchObject({ ok: false, errorKind: "budget", numIterations: 2, error: expect.stringMatching(/1 min/) });
});

test.each([[{ usd: -1 }], [{ tokens: "many" }], [{ dollars: 3 }]])("%j is no budget", (budget) => {
  expect(() => openBench([], { budget: budget as BudgetLimits })).toThrow(/^budget: /);
});
