import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { textOf } from "../../src/messages/message.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { brief, goal, handIn, verdict } from "./lines.ts";
import { type Cast, openStage, type Role, type Stage } from "./stage.ts";

const WORDS = "write BYE.md in French";
const achieved = handIn(verdict(["passed"]));
const FIRST: Cast = {
  clarifier: handIn(brief()),
  goalSetter: handIn(goal([{ text: "it says hello" }])),
  worker: ["done"],
  judge: achieved,
};
/** Nobody knows any more who wrote the check that was there: it stays. */
const AGAIN: Cast = {
  goalSetter: handIn(goal([{ text: "it says bye" }])),
  worker: ["done"],
  judge: handIn(verdict(["passed", "passed"])),
};

interface Begin extends RuntimeOptions {
  readonly goal?: boolean;
}

async function start(folder: string, request: string | undefined, cast: Cast, { goal, ...options }: Begin = {}): Promise<Stage> {
  const workflow = starterFlow(request, { workspace: folder, timeoutMs: 0, goal });
  const stage = openStage(cast, { ...options, workbench: workflow.workbench }, folder);
  await stage.run(workflow);
  await stage.runtime.close();
  return stage;
}

const said = (stage: Stage, role: Role) => stage.requests(role)[0]?.messages.map(textOf).join("\n");
const codes = (stage: Stage) => stage.tasks("notice").map(({ payload }) => payload.code);
const outcome = (stage: Stage) => stage.tasks("run-end")[0]?.payload.outcome;

const LOST: Record<string, (folder: string) => Promise<{ readonly folder: string } & Begin>> = {
  "the books are deleted": async (folder) => {
    await rm(join(folder, "runs"), { recursive: true });
    return { folder };
  },
  "the lineage is broken": async (folder) => {
    await writeFile(join(folder, "runs/lineage.json"), "{");
    return { folder };
  },
  "the folder has moved": async (folder) => {
    await rename(folder, `${folder}-moved`);
    return { folder: `${folder}-moved` };
  },
  "the books are kept elsewhere": async (folder) => ({ folder, runDir: join(folder, "runs2") }),
};

test.each(Object.keys(LOST))(
  "words beside a brief of which no run is known are heard by goal-setter, worker and judge: %s",
  async (how) => {
    const { folder, ...options } = await LOST[how]!(await begun());
    const stage = await start(folder, WORDS, AGAIN, options);
    expect(codes(stage)).toContain("brief-found");
    expect(await readFile(join(folder, ".flower/notes/brief.md"), "utf8")).toContain(`> ${WORDS}`);
    expect(said(stage, "goalSetter")).toContain(WORDS);
    expect(said(stage, "worker")).toContain(WORDS);
    expect(said(stage, "judge")).toContain("1. it says bye");
    expect(outcome(stage)).toBe("achieved");
    expect(codes(await start(folder, WORDS, {}, options))).toEqual(["woke", "already-done"]); // now they are known
    await rm(folder, { recursive: true });
  },
);

test("words reach the goal-setter also where the brief is there and the goal is not", async () => {
  const folder = await begun();
  await rm(join(folder, "runs"), { recursive: true });
  await rm(join(folder, ".flower/notes/goal.md"));
  expect(said(await start(folder, WORDS, AGAIN), "goalSetter")).toContain(WORDS);
});

test("words said to a run that had not begun its work are in the work's prompt, also without a goal", async () => {
  const folder = newFolder();
  await start(folder, "make a greeting", { clarifier: FIRST.clarifier }, { goal: false });
  expect(said(await start(folder, WORDS, { worker: ["done"] }, { goal: false }), "worker")).toContain(WORDS);
});

test("words said to a run that had not come to a step are told to that step too", async () => {
  const folder = newFolder();
  const steps = ["draw", "sing"].map((name) => new Step(name, { agent: worker(), prompt: name }));
  const first = openStage([new FlowerError("auth", "bad key")], {}, folder);
  await first.run(new Workflow(steps, { request: "art" }));
  await first.runtime.close();
  const second = openStage(["a rose", "a song"], {}, folder);
  await second.run(new Workflow(steps, { request: WORDS }));
  expect(second.requests("worker").map(({ messages }) => textOf(messages.at(-1)!).includes(WORDS))).toEqual([true, true]);
});

test("no words beside such a brief: the work is done by it, and judged", async () => {
  const folder = await begun();
  await rm(join(folder, "runs"), { recursive: true });
  const stage = await start(folder, undefined, { worker: ["done"], judge: achieved });
  expect([codes(stage), outcome(stage)]).toEqual([["brief-found"], "achieved"]);
  expect(stage.requests("judge")).toHaveLength(2);
});

test("an unfinished brief is clarified with the words, as ever", async () => {
  const folder = await begun();
  await rm(join(folder, "runs"), { recursive: true });
  await writeFile(join(folder, ".flower/notes/brief.md"), "## Goal\n\nSomething.\n");
  const stage = await start(folder, WORDS, { ...AGAIN, clarifier: handIn(brief()) });
  expect(said(stage, "clarifier")).toContain(WORDS);
  expect(codes(stage)).not.toContain("brief-found");
});

test("a workflow that does not clarify leaves the brief that lies there alone", async () => {
  const folder = await begun();
  const path = join(folder, ".flower/notes/brief.md");
  const before = await readFile(path, "utf8");
  const channel = new HumanChannel({ amendPath: path, timeoutMs: 0 });
  const stage = openStage(["done"], {}, folder);
  await stage.run(new Workflow([new Step("sing", { agent: worker(), prompt: "sing" })], { channel, request: WORDS }));
  expect(await readFile(path, "utf8")).toBe(before);
  expect(codes(stage)).toEqual([]);
});

async function begun(): Promise<string> {
  const folder = newFolder();
  await start(folder, "make a greeting", FIRST);
  return folder;
}
