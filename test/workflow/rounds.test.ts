import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { abortedBecause, failedAt, resultsOf, roundsOf, verdictOf } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { worker } from "../runtime/bench.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports, type Work } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"], { reason: "There is no file." }));

test("achieved: the workflow goes on after one round", async () => {
  const work = await openWork({ worker: reports(1), judge: achieved });
  const ctx = await work.run();
  expect(failedAt(ctx)).toBeUndefined();
  expect(verdictOf(ctx)).toMatchObject({ state: "achieved", ok: true });
  expect(roundsOf(ctx)).toBe(1);
  expect(ctx["work"]).toBe("report 1");
});

test("not yet: what is missing goes back into the same session, until it is achieved", async () => {
  const report =
    (text: string): ScriptedStep =>
    async () => {
      await writeFile(join(work.stage.folder, "progress.txt"), text);
      return text;
    };
  const work: Work = await openWork({ worker: ["1", "2", "3"].map(report), judge: [...notYet, ...notYet, ...achieved] });
  const ctx = await work.run();
  expect(failedAt(ctx)).toBeUndefined();
  expect(roundsOf(ctx)).toBe(3);
  const prompt = work.stage.prompt("worker", 1);
  expect(prompt).toMatch(/The goal is not reached yet:\n\nThere is no file\.\n\n- it says hello\n {2}failed: greeting\.txt: line 1/);
  expect(prompt).toContain(work.goalPath);
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(1);
  expect(resultsOf(ctx).map((result) => result.step)).toEqual(["work", "work#round2", "work#round3"]);
});

test("not yet in the last round: the step has failed, with the verdict's reason", async () => {
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...notYet] }, { rounds: 2 });
  const ctx = await work.run();
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", "the goal was not reached in 2 rounds. There is no file."]);
  expect(work.stage.tasks("run-end")[0]?.payload.exitCode).toBe(1);
});

test("one round means: work once, judge once", async () => {
  const work = await openWork({ worker: reports(1), judge: notYet }, { rounds: 1 });
  expect(failedAt(await work.run())).toBe("work");
});

test.each([[0], [-1], [1.5], [Number.NaN]])("%s rounds are an error when the step is made", (rounds) => {
  const step = new Step("work", { agent: worker(), prompt: "go" });
  expect(() => withGoal(step, new HumanChannel(), { goalPath: "goal.md", rounds })).toThrow(/rounds must be a whole number ≥ 1/);
});

test("the number of rounds replaces the step's own retries", () => {
  const step = new Step("work", { agent: worker(), prompt: "go", retries: 9 });
  const options = { goalPath: "goal.md" };
  expect(withGoal(step, new HumanChannel(), options).options.retries).toBe(2);
  expect(withGoal(step, new HumanChannel(), { ...options, rounds: 5 }).options.retries).toBe(4);
});

test("a report without evidence is not passed", async () => {
  const bare = verdict(["passed"], { checks: [{ number: 1, state: "passed", evidence: " " }] });
  const work = await openWork({ worker: reports(1), judge: handIn(bare) }, { rounds: 1 });
  expect(verdictOf(await work.run())).toMatchObject({
    state: "not_yet",
    checks: [{ state: "failed", evidence: "passed without evidence" }],
  });
});

test("a verdict that leaves out checks is not accepted: the judge is told which, and can mend it", async () => {
  const half = verdict(["passed"], {
    checks: [
      { number: 1, state: "passed", evidence: "x" },
      { number: 9, state: "passed", evidence: "x" },
    ],
  });
  const work = await openWork({ worker: reports(1), judge: [half, ...handIn(verdict(["passed", "passed"]))] }, { checks: ["a", "b"] });
  const ctx = await work.run();
  const [part] = work.stage.requests("judge")[1]?.messages.at(-1)?.parts ?? [];
  expect(JSON.stringify(part)).toMatch(/Not accepted: check 2 is missing; there is no check 9/);
  expect(verdictOf(ctx)?.ok).toBe(true);
});

test.each([
  ["zh", "判定者没给出明确结论,按未达成处理"],
  ["en", "The judge gave no clear conclusion; treated as not yet reached."],
  ["pt", "O juiz não deu uma conclusão clara; tratado como não atingido."],
] as const)("a verdict never handed in, after one more request, is not yet, with the default reason (%s)", async (language, reason) => {
  const work = await openWork({ worker: reports(1), judge: ["looks fine to me", "achieved!"] }, { rounds: 1, language });
  const ctx = await work.run();
  expect(verdictOf(ctx)).toMatchObject({ state: "", ok: false, reason, checks: [] });
  expect(failedAt(ctx)).toBe("work");
  expect(work.stage.prompt("judge", 1)).toMatch(/You have not handed in a verdict/);
  expect(work.stage.requests("judge")[1]?.messages).toHaveLength(3);
});

test("a judge that cannot do its work is no verdict and burns no round: the run stops and says so", async () => {
  const work = await openWork({ worker: reports(1), judge: [new FlowerError("auth", "bad key")] });
  const ctx = await work.run();
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", "The judge could not do its work: bad key"]);
  expect(verdictOf(ctx)).toBeUndefined();
});

test("the next start after that goes straight to the judge, in the same round", async () => {
  const work = await openWork({ worker: reports(1), judge: [new FlowerError("auth", "bad key")] });
  await work.run();
  await work.stage.runtime.close();
  const next = work.stage.again({ judge: achieved });
  const ctx = await next.run(work.workflow);
  expect([failedAt(ctx), roundsOf(ctx), ctx["work"]]).toEqual([undefined, 1, "report 1"]);
  expect((await next.manifest()).map((row) => row.step)).toEqual(["work", "work·judge#1", "work·judge#1"]);
});

test("a verdict that was handed in counts though the judge's last sentence failed", async () => {
  const work = await openWork({ worker: reports(1), judge: [verdict(["passed"]), new FlowerError("auth", "bad key")] });
  const ctx = await work.run();
  expect(verdictOf(ctx)?.ok).toBe(true);
  expect(failedAt(ctx)).toBeUndefined();
});

test("without a goal to judge by nothing is passed", async () => {
  const work = await openWork({ worker: reports(1) });
  await rm(work.goalPath);
  const ctx = await work.run();
  expect(failedAt(ctx)).toBe("work");
  expect(abortedBecause(ctx)).toMatch(/no complete goal/);
});

test("a step's own gate is asked first; what it rejects is not judged", async () => {
  let asked = 0;
  const own = new Step("work", { agent: worker(), prompt: "say hello", gate: () => asked++ > 0 });
  const work = await openWork({ worker: reports(2), judge: achieved });
  const { Workflow } = await import("../../src/workflow/workflow.ts");
  const ctx = await work.stage.run(new Workflow([withGoal(own, work.channel, { goalPath: work.goalPath })]));
  expect(failedAt(ctx)).toBeUndefined();
  expect(work.stage.requests("judge")).toHaveLength(2);
});

test("every verdict is kept with the run, for machines and for people, and told as an event", async () => {
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...achieved] });
  await work.run();
  const folder = join(work.stage.runtime.books.folder, "verdicts");
  expect((await readdir(folder)).sort()).toEqual(["work-1.json", "work-1.md", "work-2.json", "work-2.md"]);
  expect(JSON.parse(await readFile(join(folder, "work-1.json"), "utf8"))).toMatchObject({ state: "not_yet", reason: "There is no file." });
  expect(await readFile(join(folder, "work-2.md"), "utf8")).toMatch(
    /# Conclusion\n\nachieved\n[\s\S]*\*\*passed\*\* it says hello\n\n {2}> greeting\.txt: line 1/,
  );
  expect(work.stage.tasks("verdict").map(({ payload }) => [payload.round, payload.state, payload.step])).toEqual([
    [1, "not_yet", "work"],
    [2, "achieved", "work"],
  ]);
});
