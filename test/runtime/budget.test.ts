import { expect, test } from "vitest";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import type { Usage } from "../../src/messages/usage.ts";
import type { BudgetLimits } from "../../src/runtime/budget.ts";
import { openBench, worker } from "./bench.ts";

/** Works for ever, at this price per call. */
const greedy = (usage: Partial<Usage>) => (): ScriptedReply => ({ text: "more", calls: [{ name: "nothing" }], usage });

test.each<[string, BudgetLimits, object, Partial<Usage>, number]>([
  ["the run's money", { usd: 0.05 }, {}, { costUsd: 0.02 }, 3],
  ["the run's money, met exactly", { usd: 0.04 }, {}, { costUsd: 0.02 }, 2],
  ["the run's tokens", { tokens: 100_000 }, {}, { inputTokens: 30_000, outputTokens: 100 }, 3],
  ["the agent's own money", {}, { maxBudgetUsd: 0.03 }, { costUsd: 0.02 }, 2],
])("%s stops the work after the last call that the limit allows", async (_what, budget, limits, usage, calls) => {
  const bench = openBench(greedy(usage), { budget });
  const result = await bench.finish(bench.runtime.run(worker({ limits }), "go", { onEvent: bench.note }));
  expect(bench.engine.requests).toHaveLength(calls);
  expect(result).toMatchObject({ ok: false, errorKind: "budget", attempts: 1, numIterations: calls });
  expect(result.costUsd).toBeCloseTo(calls * (usage.costUsd ?? 0));
  const told = bench.of("task").map((event) => event.payload);
  const reached = told.filter((payload) => payload.type === "budget" && payload.level === "reached");
  expect(reached).toMatchObject([{ type: "budget", level: "reached", used: expect.any(Number), of: expect.any(Number) }]);
});

test("a budget counts every step of the run, and a step after it is reached makes no call", async () => {
  const bench = openBench(
    ["one", "two", "never"].map((text) => ({ text, usage: { costUsd: 0.03 } })),
    { budget: { usd: 0.05 } },
  );
  const run = () => bench.finish(bench.runtime.run(worker(), "go"));
  expect((await run()).ok).toBe(true);
  expect((await run()).ok).toBe(true); // the call that crosses the limit is finished
  expect(await run()).toMatchObject({ ok: false, errorKind: "budget", costUsd: 0, numIterations: 0 });
  expect(bench.engine.requests).toHaveLength(2);
});

test("an agent's own limit counts one run of it, not the others", async () => {
  const bench = openBench(["one", "two"].map((text) => ({ text, usage: { costUsd: 0.03 } })));
  const agent = worker({ limits: { maxBudgetUsd: 0.03 } });
  for (let round = 0; round < 2; round++) expect((await bench.finish(bench.runtime.run(agent, "go"))).ok).toBe(true);
});

test("an unknown price stops nothing, and the cost is unknown, not 0", async () => {
  const bench = openBench([{ text: "done", usage: { inputTokens: 1e6, costUsd: undefined } }], { budget: { usd: 0.01 } });
  const result = await bench.finish(bench.runtime.run(worker(), "go"));
  expect(result.ok).toBe(true);
  expect(result.costUsd).toBeUndefined();
  expect(result.usage.inputTokens).toBe(1e6);
  expect(bench.runtime.totalCost()).toBeUndefined();
});
