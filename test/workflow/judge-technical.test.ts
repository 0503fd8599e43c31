import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { abortedBecause, failedAt, roundsOf, verdictOf } from "../../src/workflow/ctx.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports } from "./work.ts";

const notYet = handIn(verdict(["failed"], { reason: "There is no file." }));
const achieved = handIn(verdict(["passed"]));
const overloaded = () => new FlowerError("overloaded", "busy", { retryable: true });
const nonsense: ScriptedStep = { calls: [{ name: "verdict", args: { checks: [{ number: "one", state: "great" }] } }] };
const runtime = { resilience: { maxAttempts: 2, delayMs: 1, jitter: 0 } };
const DEFAULT_REASON = "The judge gave no clear conclusion; treated as not yet reached.";

test.each<[string, readonly ScriptedStep[]]>([
  ["is overloaded until its attempts are used up", [overloaded(), overloaded()]],
  ["answers in words and is overloaded when it is asked again", ["It looks fine.", overloaded(), overloaded()]],
  ["hands in nonsense and is overloaded then", [nonsense, overloaded(), overloaded()]],
])("a judge that %s is no verdict and burns no round: the run stops, and the next start judges the same round", async (_what, judge) => {
  const work = await openWork({ worker: reports(1), judge }, { rounds: 2, runtime });
  const ctx = await work.run();
  expect([failedAt(ctx), verdictOf(ctx), work.stage.tasks("verdict")]).toEqual(["work", undefined, []]);
  expect(abortedBecause(ctx)).toMatch(/^The judge could not do its work: busy/);
  expect(work.stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "failed", exitCode: 1 });
  await work.stage.runtime.close();
  const next = work.stage.again({ worker: ["report 2"], judge: [...notYet, ...achieved] });
  const after = await next.run(work.workflow);
  expect([failedAt(after), roundsOf(after)]).toEqual([undefined, 2]); // the verdict of the first round, and both rounds, count as ever
  expect(next.tasks("verdict").map(({ payload }) => [payload.round, payload.state])).toEqual([
    [1, "not_yet"],
    [2, "achieved"],
  ]);
  expect(next.prompt("worker", 0)).toContain("There is no file.");
});

test.each<[string, readonly ScriptedStep[]]>([
  ["hands in nonsense whenever it is asked", [nonsense, nonsense, "I tried.", nonsense, "I tried again."]],
  ["hands in nothing and says nothing", ["", ""]],
  ["says yes, which nothing settles", ["Achieved.", "Achieved."]],
])("a judge that %s came to no conclusion: that is not yet, it costs a round, and the next verdict counts", async (_what, judge) => {
  const work = await openWork({ worker: reports(2), judge: [...judge, ...achieved] }, { rounds: 2 });
  const ctx = await work.run();
  expect(work.stage.tasks("verdict").map(({ payload }) => [payload.round, payload.state, payload.reason])).toEqual([
    [1, "", DEFAULT_REASON],
    [2, "achieved", "I saw passed."],
  ]);
  expect(work.stage.prompt("worker", 1)).toContain(DEFAULT_REASON);
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 2]);
});
