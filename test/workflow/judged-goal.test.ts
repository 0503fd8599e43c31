import { readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, goalFile, handIn, verdict } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"], { reason: "No file." }));
const SET = handIn(goal([{ text: "it says hello" }]));
const WHOLE: Cast = { clarifier: handIn(brief()), goalSetter: SET, worker: ["done"], judge: achieved };

async function start(folder: string, cast: Cast, options = {}): Promise<Stage> {
  const workflow = starterFlow("make a greeting", { workspace: folder, timeoutMs: 0, rounds: 1, ...options });
  const stage = openStage(cast, { workbench: workflow.workbench }, folder);
  await stage.run(workflow);
  await stage.runtime.close();
  return stage;
}

const outcome = (stage: Stage) => stage.tasks("run-end")[0]?.payload.outcome;
const goalIn = (folder: string) => join(folder, ".flower/notes/goal.md");

/** A folder where all is done, and judged. */
async function done(): Promise<string> {
  const folder = newFolder();
  expect(outcome(await start(folder, WHOLE))).toBe("achieved");
  return folder;
}

test("what was finished without a goal is judged when one is set, and not worked on when it passes", async () => {
  const folder = newFolder();
  await start(folder, { clarifier: WHOLE.clarifier, worker: ["done without a judge"] }, { goal: false });
  const stage = await start(folder, { goalSetter: SET, judge: achieved });
  expect(stage.prompt("judge", 0)).toContain("done without a judge");
  expect([outcome(stage), stage.requests("worker").length]).toEqual(["achieved", 0]);
  expect((await start(folder, {})).engine.requests).toEqual([]);
});

test("finished work that does not meet the goal of now goes on in its session; judging it used no round of work up", async () => {
  const folder = await done();
  await writeFile(goalIn(folder), goalFile("it says goodbye"));
  const stage = await start(folder, { judge: [...notYet, ...achieved], worker: ["goodbye then"] });
  expect(stage.requests("worker")[0]?.messages).toHaveLength(3);
  expect(stage.prompt("worker", 0)).toContain("No file.");
  expect([outcome(stage), stage.tasks("verdict").length]).toEqual(["achieved", 2]);
});

test("a goal that was edited after all was done is never achieved by skipping: not met, the run fails", async () => {
  const folder = await done();
  await writeFile(goalIn(folder), goalFile("it says goodbye"));
  const stage = await start(folder, { judge: [...notYet, ...notYet], worker: ["I tried"] });
  expect(outcome(stage)).toBe("failed");
  expect(stage.prompt("judge", 0)).toContain("1. it says goodbye");
});

test("a goal that was taken away is set again, and judged, though it is the same word by word", async () => {
  const folder = await done();
  const text = await readFile(goalIn(folder), "utf8");
  await rm(goalIn(folder));
  const stage = await start(folder, { goalSetter: SET, judge: achieved });
  expect(await readFile(goalIn(folder), "utf8")).toBe(text);
  expect([outcome(stage), stage.requests("judge").length]).toEqual(["achieved", 2]);
});

test("where the session is gone, the work is done again before it is judged", async () => {
  const folder = await done();
  await writeFile(goalIn(folder), goalFile("it says goodbye"));
  for (const end of ["", "-wal", "-shm"]) await rm(join(folder, `runs/sessions.db${end}`), { force: true });
  const stage = await start(folder, { worker: ["goodbye"], judge: achieved });
  expect([outcome(stage), stage.requests("worker").length]).toEqual(["achieved", 1]);
});

test("blank lines, another time of the file, and work without a goal afterwards reopen nothing", async () => {
  const folder = await done();
  await writeFile(goalIn(folder), `\n${await readFile(goalIn(folder), "utf8")}\n\n`);
  await utimes(goalIn(folder), new Date(), new Date());
  for (const options of [{}, { goal: false }]) {
    const stage = await start(folder, {}, options);
    expect(stage.engine.requests).toEqual([]);
    expect(stage.tasks("notice").map(({ payload }) => payload.code)).toEqual(["woke", "already-done"]);
  }
});
