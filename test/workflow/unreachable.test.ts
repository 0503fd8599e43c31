import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseGoal } from "../../src/workbench/goal-document.ts";
import { abortedBecause, failedAt, goalOf, roundsOf, verdictOf } from "../../src/workflow/ctx.ts";
import { goal, handIn, verdict } from "./lines.ts";
import { openWork, reports, type WorkOptions } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const unreachable = handIn(verdict(["failed"], { impossible: "缺少 X 依赖,判定项 2 无法验证" }));
const OPTIONS = ["接受这个结果,就这样往下走", "修改目标", "你判断错了,继续做"] as const;
const zh: WorkOptions = { language: "zh", step: "干活" };

test("unreachable stops and asks the person, with the three answers, word for word as people know them", async () => {
  const work = await openWork({ worker: reports(1), judge: unreachable }, { ...zh, answers: [OPTIONS[0]] });
  await work.run();
  expect(work.questions).toHaveLength(1);
  expect(work.questions[0]?.text).toBe("目标被判为**无法达成**:缺少 X 依赖,判定项 2 无法验证\n怎么办?");
  expect(work.questions[0]?.payload).toMatchObject({ options: OPTIONS, purpose: "goal", path: ["干活"], state: "asked" });
});

test("accept: the step has passed as it is, and the verdict stays what it was", async () => {
  const work = await openWork({ worker: reports(1), judge: unreachable }, { ...zh, answers: [OPTIONS[0]] });
  const ctx = await work.run();
  expect(failedAt(ctx)).toBeUndefined();
  expect(ctx["干活"]).toBe("report 1");
  expect(verdictOf(ctx)).toMatchObject({ state: "unreachable", ok: false });
  expect(work.stage.tasks("run-end")[0]?.payload.exitCode).toBe(0);
});

test("change: the new goal is asked for, stands in the goal file for all to see, and another round is made", async () => {
  const amended = handIn(goal([{ text: "it says goodbye" }], "greeting.txt says goodbye"));
  const work = await openWork(
    { worker: reports(2), judge: [...unreachable, ...achieved], goalSetter: amended },
    { ...zh, answers: [OPTIONS[1], "改成说再见"], rounds: 1 },
  );
  const ctx = await work.run();
  expect(work.questions.map((question) => question.text)[1]).toBe("新的目标是什么?");
  const frozen = await readFile(work.goalPath, "utf8");
  expect(frozen).toContain("greeting.txt says goodbye");
  expect(frozen).toContain("人修改了目标:改成说再见");
  expect(goalOf(ctx)?.checks).toEqual([{ text: "it says goodbye" }]);
  expect(work.stage.prompt("goalSetter", 0)).toMatch(/改成说再见[\s\S]*- it says hello/);
  expect(work.stage.prompt("worker", 1)).toContain("改成说再见");
  expect(work.stage.prompt("judge", 2)).toContain("1. it says goodbye");
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 2]);
});

test("change, but the goal-setter hands nothing in: the person's words become a check, they are never lost", async () => {
  const work = await openWork(
    { worker: reports(2), judge: [...unreachable, ...handIn(verdict(["passed", "passed"]))], goalSetter: ["hm"] },
    { ...zh, answers: [OPTIONS[1], "也说再见"] },
  );
  await work.run();
  expect(parseGoal(await readFile(work.goalPath, "utf8")).checks).toEqual([{ text: "it says hello" }, { text: "也说再见" }]);
});

test.each([
  ["you are wrong", OPTIONS[2]],
  ["free text", "X 在 /opt 里,再看看"],
  ["free text that begins like an option", `${OPTIONS[0]},但先修好标题`],
])("%s goes back to the worker with the rejection; the round is granted even after the last", async (_what, answer) => {
  const work = await openWork({ worker: reports(2), judge: [...unreachable, ...achieved] }, { ...zh, answers: [answer], rounds: 1 });
  const ctx = await work.run();
  expect(work.stage.prompt("worker", 1)).toContain(`The person says:\n\n${answer}\n`);
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 2]);
});

test("what the person said of one verdict is not repeated with the next", async () => {
  const notYet = handIn(verdict(["failed"]));
  const work = await openWork({ worker: reports(3), judge: [...unreachable, ...notYet, ...achieved] }, { ...zh, answers: ["再看看"] });
  await work.run();
  expect(work.stage.prompt("worker", 1)).toContain("再看看");
  expect(work.stage.prompt("worker", 2)).not.toContain("再看看");
});

test("nobody there: the run stops with the reason, exit code 1, and is never a pass", async () => {
  const work = await openWork({ worker: reports(1), judge: unreachable }, zh);
  const ctx = await work.run();
  expect(failedAt(ctx)).toBe("干活");
  expect(abortedBecause(ctx)).toBe("目标被判为无法达成,而且没有人可以决定:缺少 X 依赖,判定项 2 无法验证");
  expect(work.stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "failed", exitCode: 1, failedAt: "干活" });
  expect(parseGoal(await readFile(work.goalPath, "utf8")).complete).toBe(true);
});

test.each([
  ["declines the question", [undefined]],
  ["wants another goal but does not say which", [OPTIONS[1], undefined]],
  ["wants another goal and says nothing", [OPTIONS[1], "  "]],
])("a person who %s: the run stops too", async (_what, answers) => {
  const work = await openWork({ worker: reports(1), judge: unreachable }, { ...zh, answers });
  expect(failedAt(await work.run())).toBe("干活");
  expect(work.stage.requests("worker")).toHaveLength(1);
});

test("items that cannot be verified are asked about once nothing has failed; accepted, they are settled", async () => {
  const checks = ["it says hello", "it sounds friendly"];
  const work = await openWork(
    { worker: reports(2), judge: [...handIn(verdict(["failed", "unverifiable"])), ...handIn(verdict(["passed", "unverifiable"]))] },
    { checks, answers: ["Accept this result and go on"] },
  );
  const ctx = await work.run();
  expect(work.questions).toHaveLength(1);
  expect(work.questions[0]?.text).toContain("it sounds friendly: greeting.txt: line 2");
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 2]);
});

test("questions about the goal do not count against the model's quota", async () => {
  const work = await openWork({ worker: reports(1), judge: unreachable }, { ...zh, answers: [OPTIONS[0]] });
  const before = work.channel.remaining;
  await work.run();
  expect(work.channel.remaining).toBe(before);
});
