import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { goalOf } from "../../src/workflow/ctx.ts";
import { goalFile, handIn, verdict } from "./lines.ts";
import { openWork, type Work, type WorkOptions } from "./work.ts";

const SOFTENED = goalFile("nothing in particular");

/** A worker whose command rewrites the goal while it works. */
async function meddling(options: WorkOptions = {}): Promise<Work> {
  const work: Work = await openWork(
    {
      worker: [
        async () => {
          await writeFile(work.goalPath, SOFTENED);
          return "done";
        },
      ],
      judge: handIn(verdict(["passed"])),
    },
    options,
  );
  return work;
}

test("a goal that is changed while the work runs does not count, and nothing of it is lost", async () => {
  const work = await meddling();
  const before = await readFile(work.goalPath, "utf8");
  const ctx = await work.run();
  expect(goalOf(ctx)?.checks.map((check) => check.text)).toEqual(["it says hello"]);
  expect(await readFile(work.goalPath, "utf8")).toBe(before);
  expect(await readFile(`${work.goalPath}.changed-during-work`, "utf8")).toBe(SOFTENED);
  expect(work.stage.tasks("notice").map((event) => event.payload.code)).toContain("goal-changed-during-work");
});

test("the person sees what changed and may let it count", async () => {
  const work = await meddling({ answers: ["The changed version"] });
  const ctx = await work.run();
  expect(work.questions[0]?.text).toContain("- - it says hello\n+ - nothing in particular");
  expect(goalOf(ctx)?.checks.map((check) => check.text)).toEqual(["nothing in particular"]);
});
