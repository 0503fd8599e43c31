import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFlowerError } from "../../src/core/errors.ts";
import { parseBrief } from "../../src/workbench/brief.ts";
import { failedAt } from "../../src/workflow/ctx.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"], { reason: "No file." }));
const WHOLE: Cast = {
  clarifier: handIn(brief()),
  goalSetter: handIn(goal([{ text: "it says hello" }])),
  worker: ["done"],
  judge: achieved,
};

/** Starts the flow in a folder as a process of its own would. */
async function start(folder: string, request: string | undefined, cast: Cast, options = {}): Promise<Stage> {
  const workflow = starterFlow(request, { workspace: folder, timeoutMs: 0, rounds: 1, ...options });
  const stage = openStage(cast, { workbench: workflow.workbench }, folder);
  await stage.run(workflow);
  await stage.runtime.close();
  return stage;
}

const outcome = (stage: Stage) => stage.tasks("run-end")[0]?.payload.outcome;
const skipped = (stage: Stage) => stage.of("step").map((event) => event.payload.skipped === true);

test("the same words, or none, in a folder where all is done: nothing is done again, and that is said", async () => {
  const folder = newFolder();
  const first = await start(folder, "make a greeting", WHOLE);
  for (const request of ["make a greeting", "  make a greeting\n", undefined]) {
    const stage = await start(folder, request, {});
    expect(skipped(stage)).toEqual([true, true, true]);
    expect(stage.engine.requests).toEqual([]);
    expect(outcome(stage)).toBe("achieved");
    expect(stage.tasks("notice").map(({ payload }) => payload.code)).toEqual(["woke", "already-done"]);
    expect(stage.runtime.books.continues).toBeDefined();
  }
  expect(outcome(first)).toBe("achieved");
});

test("a run whose work was not enough goes on in the same session, in the next round, with what was missing", async () => {
  const folder = newFolder();
  const first = await start(folder, "make a greeting", { ...WHOLE, judge: notYet });
  const second = await start(folder, undefined, { worker: ["now done"], judge: achieved });
  expect(outcome(first)).toBe("failed");
  expect(skipped(second)).toEqual([true, true, false]);
  expect(second.prompt("worker", 0)).toContain("No file.");
  expect(second.engine.requests[0]?.messages).toHaveLength(3);
  expect((await second.manifest()).at(-2)).toMatchObject({ step: "work#round2", resumed: true, continues: first.runtime.runId });
  expect(outcome(second)).toBe("achieved");
});

test("other words go to three places: the brief, the goal, which is derived anew, and the work", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", WHOLE);
  const goodbye = handIn(goal([{ text: "it says goodbye" }]));
  const second = await start(folder, "it shall say goodbye", { goalSetter: goodbye, worker: ["done too"], judge: achieved });
  expect(skipped(second)).toEqual([true, false, false]);
  const { amendments } = parseBrief(await readFile(join(folder, ".flower/notes/brief.md"), "utf8"));
  expect(amendments).toContain("> it shall say goodbye");
  expect(second.prompt("goalSetter", 0)).toMatch(/it shall say goodbye[\s\S]*- it says hello/);
  expect(second.prompt("worker", 0)).toContain("it shall say goodbye");
  expect(second.prompt("judge", 0)).toContain("1. it says goodbye");
  expect(outcome(second)).toBe("achieved");
});

test("words said at an earlier start are not new when they are said again", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", WHOLE);
  await start(folder, "say goodbye", { goalSetter: handIn(goal([{ text: "bye" }])), worker: ["ok"], judge: achieved });
  const third = await start(folder, "say goodbye", {});
  expect(skipped(third)).toEqual([true, true, true]);
});

test("a run that failed while clarifying still knows what was asked when it is woken without words", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", { clarifier: ["hm", "hm"] });
  const second = await start(folder, undefined, WHOLE);
  expect(JSON.stringify(second.requests("clarifier")[0]?.messages)).toContain("make a greeting");
  expect(outcome(second)).toBe("achieved");
});

test("a fresh start puts the earlier run into the archive and begins anew", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", WHOLE);
  const second = await start(folder, "make a song", WHOLE, { fresh: true });
  expect(skipped(second)).toEqual([false, false, false]);
  expect(second.requests("clarifier")[0]?.messages).toHaveLength(1);
  const { glob } = await import("tinyglobby");
  const kept = await glob("**/*", { cwd: join(folder, ".flower/notes/archive") });
  expect(kept.map((path) => path.split("/").at(-1)).sort()).toEqual(["brief.md", "goal.md", "lineage.json"]);
});

test("a lineage that is broken is set aside and said so; the start is a fresh one", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", WHOLE);
  await writeFile(join(folder, "runs/lineage.json"), "{");
  const second = await start(folder, undefined, { worker: ["done"], judge: achieved });
  expect(second.tasks("notice")[0]?.payload.code).toBe("lineage-broken");
  expect(skipped(second)).toEqual([true, true, false]); // brief and goal are files of the person's
  expect(outcome(second)).toBe("achieved");
});

test("while a run is under way, another start of the same workflow there is refused, and says who runs", async () => {
  const folder = newFolder();
  const workflow = () => starterFlow("make a greeting", { workspace: folder, timeoutMs: 0 });
  const first = workflow();
  const busy: unknown[] = [];
  const stage: Stage = openStage(
    {
      ...WHOLE,
      worker: [
        async () => {
          const other = workflow();
          const second = openStage({}, { workbench: other.workbench }, folder);
          busy.push(await second.run(other).catch((error: unknown) => error));
          return "done";
        },
      ],
    },
    { workbench: first.workbench },
    folder,
  );
  const ctx = await stage.run(first);
  expect(failedAt(ctx)).toBeUndefined();
  expect(isFlowerError(busy[0], "run-busy")).toBe(true);
  expect((busy[0] as { details: unknown }).details).toMatchObject({ pid: process.pid, runId: stage.runtime.runId });
});
