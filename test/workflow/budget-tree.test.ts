import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedReply, ScriptedStep } from "../../src/engines/scripted.ts";
import type { Usage } from "../../src/messages/usage.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork } from "./work.ts";

/** Each reply with a bill of its own, kept in `bills` once it is given. */
function billed(replies: readonly (ScriptedReply | string | Error)[], bills: number[], from: number): readonly ScriptedStep[] {
  return replies.map((reply, index) => () => {
    if (reply instanceof Error) return reply;
    const usage: Partial<Usage> = { inputTokens: 100, outputTokens: 10, costUsd: (from + index) / 1_000 };
    bills.push(usage.costUsd as number);
    return { ...(typeof reply === "string" ? { text: reply } : reply), usage };
  });
}

const busy = new FlowerError("overloaded", "busy");
const notYet = handIn(verdict(["failed"]));
const achieved = handIn(verdict(["passed"]));

test("worker, judge, rounds and retries: the steps' costs are what the model charged, to the cent", async () => {
  const bills: number[] = [];
  const cast = {
    worker: billed([busy, "report 1", "report 2"], bills, 10),
    judge: billed([notYet[0], busy, notYet[1], ...achieved], bills, 50),
  };
  const { stage, run } = await openWork(cast, { runtime: { budget: { usd: 5 }, resilience: { delayMs: 1 } } });
  await run();
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "achieved" });
  const rows = await stage.manifest();
  expect(rows.map(({ step, attempts }) => [step, attempts])).toEqual([
    ["work", 2],
    ["work·judge#1", 2],
    ["work#round2", 1],
    ["work·judge#2", 1],
  ]);
  const charged = bills.reduce((sum, usd) => sum + usd, 0);
  expect(bills).toHaveLength(6);
  expect(rows.reduce((sum, row) => sum + (row.costUsd ?? Number.NaN), 0)).toBeCloseTo(charged, 9);
  expect(stage.runtime.totalCost()).toBeCloseTo(charged, 9);
});

test.each<[string, readonly string[] | undefined, object]>([
  ["nobody there: the run ends at the budget", undefined, { outcome: "budget", exitCode: 4 }],
  ["raised: the judge comes to its verdict", ["$9"], { outcome: "achieved", exitCode: 0 }],
])("a judge too is stopped by the run's limit; %s", async (_what, answers, end) => {
  const bills: number[] = [];
  const cast = { worker: billed(["report 1"], bills, 60), judge: billed([achieved[0], achieved[1]], bills, 50) };
  const { stage, run, questions } = await openWork(cast, { answers, runtime: { budget: { usd: 0.05 } } });
  await run();
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject(end);
  expect(bills).toEqual(answers ? [0.06, 0.05, 0.051] : [0.06]);
  expect(questions.filter(({ payload }) => payload.purpose === "budget")).toHaveLength(1);
});
