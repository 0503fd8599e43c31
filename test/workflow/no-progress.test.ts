import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import type { Check } from "../../src/workbench/check.ts";
import { abortedBecause, failedAt, roundsOf, verdictOf } from "../../src/workflow/ctx.ts";
import { goal, handIn, verdict } from "./lines.ts";
import { openWork, reports, type Work } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"], { reason: "There is no file." }));
const ACCEPT = "Accept this result and go on";
const CHANGE = "Change the goal";

/** The worker's report, with a file written on the way. */
function writing(work: () => Work, text: string): ScriptedStep {
  return async () => {
    await writeFile(join(work().stage.folder, "progress.txt"), text);
    return text;
  };
}

test("nobody there: two rounds with the same failed checks, the second without a change, end the run, and say so", async () => {
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...notYet] }, { rounds: 5 });
  const ctx = await work.run();
  expect([failedAt(ctx), roundsOf(ctx), verdictOf(ctx)?.state]).toEqual(["work", 2, "not_yet"]);
  expect(abortedBecause(ctx)).toMatch(/Nobody was there .* changed nothing in the workspace.*: There is no file\./);
  expect(work.stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "failed", exitCode: 1 });
});

test.each<[string, string, number, string | undefined]>([
  ["accepts: the step has passed", ACCEPT, 2, undefined],
  ["sends it back: the words reach the worker, and another round is made", "look in /opt", 3, undefined],
])("a person %s", async (_what, answer, rounds, failed) => {
  const work = await openWork({ worker: reports(3), judge: [...notYet, ...notYet, ...achieved] }, { answers: [answer] });
  const ctx = await work.run();
  expect(work.questions.map(({ text }) => text)).toEqual([
    "The last round changed nothing in the workspace, and the same checks are open as before: There is no file.\nWhat now?",
  ]);
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([failed, rounds]);
  if (rounds === 3) expect(work.stage.prompt("worker", 2)).toContain(answer);
});

test("a person changes the goal: it is set again, and another round is made", async () => {
  const goalSetter = handIn(goal([{ text: "it says goodbye" }]));
  const work = await openWork(
    { worker: reports(3), judge: [...notYet, ...notYet, ...achieved], goalSetter },
    { answers: [CHANGE, "say goodbye"] },
  );
  expect(roundsOf(await work.run())).toBe(3);
  expect(await readFile(work.goalPath, "utf8")).toContain("it says goodbye");
});

test("after a person's answer the count begins anew", async () => {
  const judge = [...notYet, ...notYet, ...notYet, ...achieved];
  const work = await openWork({ worker: reports(4), judge }, { rounds: 5, answers: ["try again"] });
  expect(roundsOf(await work.run())).toBe(4);
  expect(work.questions).toHaveLength(1);
});

test("nobody is asked after the last round: there is nothing left to save", async () => {
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...notYet] }, { rounds: 2 });
  expect(abortedBecause(await work.run())).toBe("the goal was not reached in 2 rounds. There is no file.");
});

test("a round that changes a file goes on", async () => {
  const judge = [...notYet, ...notYet, ...achieved];
  const work: Work = await openWork({ worker: ["a", "b", "c"].map((text) => writing(() => work, text)), judge });
  expect(roundsOf(await work.run())).toBe(3);
});

test("a round that commits goes on", async () => {
  const commit: ScriptedStep = () => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work.stage.folder, stdio: "pipe" });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "x");
    return "committed";
  };
  const work: Work = await openWork({ worker: ["a", commit, "c"], judge: [...notYet, ...notYet, ...achieved] });
  expect(roundsOf(await work.run())).toBe(3);
});

test("other failed checks are progress", async () => {
  const judge = [
    ...handIn(verdict(["failed", "passed"])),
    ...handIn(verdict(["passed", "failed"])),
    ...handIn(verdict(["passed", "passed"])),
  ];
  const work = await openWork({ worker: reports(3), judge }, { checks: ["a", "b"] });
  expect(roundsOf(await work.run())).toBe(3);
});

test("what the checks themselves change in the workspace is no progress", async () => {
  const check: Check = { text: "it says hello", command: "date +%N >> stamp; false", inPlace: true };
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...notYet] }, { checks: [check], rounds: 5 });
  expect(abortedBecause(await work.run())).toMatch(/changed nothing/);
});
