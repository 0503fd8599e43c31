import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { reopen } from "../../src/cli/documents/reopen.ts";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { abortedBecause, failedAt, goalOf } from "../../src/workflow/ctx.ts";
import { goalFile, handIn, verdict } from "./lines.ts";
import { openWork, type Work, type WorkOptions } from "./work.ts";

const SOFTENED = goalFile("nothing in particular");
const passed = handIn(verdict(["passed"]));
const checksOf = (ctx: Awaited<ReturnType<Work["run"]>>) => goalOf(ctx)?.checks.map((check) => check.text);
const codes = (stage: Work["stage"]) => stage.tasks("notice").map(({ payload }) => payload.code);

/** Work whose first round changes the goal file, if at all, and then fails. */
async function cutShort(meddle: (goalPath: string) => Promise<unknown>, options: WorkOptions = {}) {
  const first: ScriptedStep = async () => {
    await meddle(work.goalPath);
    return new FlowerError("auth", "bad key");
  };
  const work: Work = await openWork({ worker: [first] }, options);
  expect(failedAt(await work.run())).toBe("work");
  await work.stage.runtime.close();
  return work;
}

test("a goal that was changed in a round that failed does not count at the next start either, and that is told", async () => {
  const work = await cutShort((path) => writeFile(path, SOFTENED));
  const next = work.stage.again({ worker: ["done"], judge: passed });
  const ctx = await next.run(work.workflow);
  expect(checksOf(ctx)).toEqual(["it says hello"]);
  expect(codes(next)).toContain("goal-changed-during-work");
  expect(await readFile(`${work.goalPath}.changed-during-work`, "utf8")).toBe(SOFTENED);
});

test("what a person edits after a round that failed counts, and nothing is asked", async () => {
  const work = await cutShort(async () => {});
  await writeFile(work.goalPath, SOFTENED);
  const next = work.stage.again({ worker: ["done"], judge: passed });
  expect(checksOf(await next.run(work.workflow))).toEqual(["nothing in particular"]);
  expect([work.questions, codes(next)]).toEqual([[], expect.not.arrayContaining(["goal-changed-during-work"])]);
});

test("what a person edits by command after a round that changed the goal counts: they have seen it", async () => {
  const work = await cutShort((path) => writeFile(path, goalFile("something else")), { isHandedIn: true });
  const { workspace, runDir } = work.stage.runtime;
  await writeFile(work.goalPath, SOFTENED);
  expect(await reopen({ workspace, runDir, notResumed: [] }, "goal", "I changed the goal.")).toBe(true);
  const next = work.stage.again({ worker: ["done"], judge: passed });
  expect(checksOf(await next.run(work.workflow))).toEqual(["nothing in particular"]);
  expect(codes(next)).not.toContain("goal-changed-during-work");
});

/** Work whose only round does this to the goal file, judged by a judge that believes everything. */
async function meddling(meddle: (goalPath: string) => Promise<unknown>, before: typeof meddle = async () => {}) {
  const work: Work = await openWork({
    worker: [
      async () => {
        await meddle(work.goalPath);
        return "done";
      },
    ],
    judge: passed,
  });
  await before(work.goalPath);
  const ctx = await work.run();
  return { work, ctx };
}

test("a goal file that the work has replaced by a link, or a folder, is one again, and where the link led is not written", async () => {
  const elsewhere = (path: string) => `${path}.elsewhere`;
  const linked = await meddling(async (path) => {
    await writeFile(elsewhere(path), SOFTENED);
    await rm(path);
    await symlink(elsewhere(path), path);
  });
  expect(checksOf(linked.ctx)).toEqual(["it says hello"]);
  expect(await readFile(elsewhere(linked.work.goalPath), "utf8")).toBe(SOFTENED);
  const folder = await meddling(async (path) => {
    await rm(path);
    await mkdir(path);
  });
  expect(checksOf(folder.ctx)).toEqual(["it says hello"]);
});

test("a goal that only the work has written is nothing to judge by", async () => {
  const { work, ctx } = await meddling(
    (path) => writeFile(path, SOFTENED),
    (path) => rm(path),
  );
  expect(abortedBecause(ctx)).toMatch(/no complete goal/);
  expect([existsSync(work.goalPath), codes(work.stage)]).toEqual([false, ["goal-changed-during-work"]]);
});
