import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failedAt, roundsOf } from "../../src/workflow/ctx.ts";
import { newFolder } from "../folder.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports } from "./work.ts";

const believing = handIn(verdict(["passed"]));

/** A command that holds and fails by turns, whatever is in the workspace. */
function byTurns(first: "holds" | "fails"): string {
  const turns = join(newFolder(), "turns");
  writeFileSync(turns, first === "holds" ? "x\n" : "");
  return `echo x >> ${turns}; test $(($(wc -l < ${turns}) % 2)) = 0`;
}

test("a command that holds only sometimes is run once before each judging, and that outcome is the round's", async () => {
  const check = { text: "it holds", command: byTurns("fails") };
  const work = await openWork({ worker: reports(2), judge: [...believing, ...believing] }, { checks: [check] });
  const ctx = await work.run();
  expect(work.stage.tasks("check").map(({ payload }) => payload.ok)).toEqual([false, true]);
  expect(work.stage.tasks("verdict").map(({ payload }) => payload.state)).toEqual(["not_yet", "achieved"]);
  expect([failedAt(ctx), roundsOf(ctx)]).toEqual([undefined, 2]);
});

test("having held before does not help a check that fails now", async () => {
  const checks = [{ text: "it holds", command: byTurns("holds") }, "the rest"];
  const judge = [...handIn(verdict(["passed", "failed"])), ...handIn(verdict(["passed", "passed"]))];
  const work = await openWork({ worker: reports(2), judge }, { checks, rounds: 2 });
  expect(failedAt(await work.run())).toBe("work");
  expect(work.stage.tasks("verdict").map(({ payload }) => payload.checks.map(({ state }) => state))).toEqual([
    ["passed", "failed"],
    ["failed", "passed"],
  ]);
});

test("one that fails twice while the work changes nothing is no progress: a person is asked", async () => {
  const check = { text: "it holds", command: "false" };
  const work = await openWork(
    { worker: reports(2), judge: [...believing, ...believing] },
    { checks: [check], rounds: 5, answers: ["Accept this result and go on"] },
  );
  expect(failedAt(await work.run())).toBeUndefined();
  expect(work.questions).toHaveLength(1);
  expect(work.questions[0]?.text).toMatch(/changed nothing in the workspace/);
});
