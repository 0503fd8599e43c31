import { expect, test } from "vitest";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import type { BudgetLimits } from "../../src/runtime/budget.ts";
import { failedAt } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const call = (n: number): ScriptedReply => ({ ...steps(n), usage: { costUsd: 0.4 } });
const done = (text: string): ScriptedReply => ({ text, usage: { costUsd: 0.4 } });

const agent = worker({ tools: [stepTool([])] });
const flow = (budget: BudgetLimits, retries = 0) =>
  new Workflow([
    new Step("first", { agent, prompt: "first", budget, retries, gate: ({ text }) => text === "good" }),
    new Step("second", { agent, prompt: "second" }),
  ]);

test("a step's budget counts all its rounds, and fails the step before the run's own limit is near", async () => {
  const stage = openStage([done("bad"), done("bad"), done("never asked")], { budget: { usd: 100 } });
  const ctx = await stage.run(flow({ usd: 0.8 }, 5));
  expect(stage.engine.requests).toHaveLength(2);
  expect(failedAt(ctx)).toBe("first");
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "budget", failedAt: "first" });
  expect(stage.tasks("budget").map(({ payload }) => [payload.level, payload.limit, payload.of])).toContainEqual(["reached", "usd", 0.8]);
});

test("one step's budget is no limit for the next step", async () => {
  const stage = openStage([done("good"), call(1), call(2), done("done")]);
  const ctx = await stage.run(flow({ usd: 0.5 }));
  expect([ctx["first"], ctx["second"], failedAt(ctx)]).toEqual(["good", "done", undefined]);
});

test("tokens are counted against it too", async () => {
  const stage = openStage([{ ...steps(1), usage: { inputTokens: 15_000 } }, done("never asked")]);
  await stage.run(flow({ tokens: 20_000 }));
  expect(stage.engine.requests).toHaveLength(1);
});

test("what its rounds of an earlier start spent counts at the next, other steps' spending does not", async () => {
  const folder = newFolder();
  const stage = openStage([call(1), call(2)], {}, folder);
  await stage.run(flow({ usd: 0.8 }));
  await stage.runtime.close();
  const next = stage.again([done("never asked")]);
  const ctx = await next.run(flow({ usd: 0.8 }));
  expect([failedAt(ctx), next.engine.requests.length]).toEqual(["first", 0]);
  await next.runtime.close();
  const raised = stage.again([done("good"), done("done")]);
  const end = await raised.run(flow({ usd: 1.3 }));
  expect([end["first"], end["second"]]).toEqual(["good", "done"]);
});

test("a budget that is none is refused when the step is made", () => {
  expect(() => new Step("s", { agent, prompt: "p", budget: { usd: -1 } })).toThrow(/usd/);
  expect(() => new Step("s", { agent, prompt: "p", budget: { dollars: 1 } as BudgetLimits })).toThrow(/dollars/);
});
