import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { parseGoal } from "../../src/workbench/goal-document.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { brief, goal, goalFile, handIn, verdict } from "./lines.ts";
import { type Cast, openStage } from "./stage.ts";
import { openWork, reports, type Work } from "./work.ts";

const COMMAND = { text: "it builds", command: "test -e goal.md", expect: { exit: 0, stdoutMatches: "/^$/" } } as const;
const texts = async (path: string) => parseGoal(await readFile(path, "utf8")).checks.map((check) => check.text);

/** A start of the whole chain in a folder, as a process of its own. */
async function start(folder: string, request: string | undefined, cast: Cast) {
  const flow = starterFlow(request, { workspace: folder, timeoutMs: 0 });
  const stage = openStage(cast, { workbench: flow.workbench }, folder);
  await stage.run(flow);
  await stage.runtime.close();
  return stage;
}

/** A folder where all is done, by a goal that the goal-setter handed in; then the person edits the goal file. */
async function edited(edit: (text: string) => string) {
  const folder = newFolder();
  const setter = handIn(goal([{ text: "it says hello" }, { text: "it is short" }]));
  const judge = handIn(verdict(["passed", "passed"]));
  await start(folder, "make a greeting", { clarifier: handIn(brief()), goalSetter: setter, worker: ["done"], judge });
  const path = join(folder, ".flower/notes/goal.md");
  await writeFile(path, edit(await readFile(path, "utf8")));
  return { folder, path };
}

test("a check that a person added, and one that they edited, stay when their words amend the goal; the goal-setter's own may go", async () => {
  const { folder, path } = await edited((text) => `${text.replace("it is short", "it is at most 20 bytes")}- it ends with a dot\n`);
  const setter = handIn(goal([{ text: "it says goodbye" }]));
  const judge = handIn(verdict(["passed", "passed", "passed"]));
  const stage = await start(folder, "say goodbye instead", { goalSetter: setter, worker: ["done"], judge });
  expect(await texts(path)).toEqual(["it says goodbye", "it is at most 20 bytes", "it ends with a dot"]);
  expect(stage.prompt("judge", 0)).toContain("1. it says goodbye\n2. it is at most 20 bytes\n3. it ends with a dot");
  expect(stage.prompt("goalSetter", 0)).toMatch(/They stay as they are:\n\n- it is at most 20 bytes\n- it ends with a dot\n$/);
  expect(stage.tasks("goal")[0]?.payload.total).toBe(3);
});

test("they still stay at the amendment after that, and stand once when the goal-setter hands them in itself", async () => {
  const { folder, path } = await edited((text) => `${text}- it ends with a dot\n`);
  const judge = handIn(verdict(["passed", "passed"]));
  const kept = handIn(goal([{ text: "it says goodbye" }, { text: "it ends with a dot" }]));
  await start(folder, "say goodbye", { goalSetter: kept, worker: ["done"], judge });
  expect(await texts(path)).toEqual(["it says goodbye", "it ends with a dot"]);
  await start(folder, "say good night", { goalSetter: handIn(goal([{ text: "it says good night" }])), worker: ["done"], judge });
  expect(await texts(path)).toEqual(["it says good night", "it ends with a dot"]);
});

/** Work over a goal file that a person wrote as a whole; they say something while the first round runs. */
async function withMail(goalSetter: Cast["goalSetter"], judge: Cast["judge"]): Promise<Work> {
  const speaking: ScriptedStep = async () => {
    await work.channel.send("and say goodbye");
    return "report 1";
  };
  const work: Work = await openWork(
    { worker: [speaking, "report 2"], goalSetter, judge },
    { keepsMail: true, checks: ["it says hello", COMMAND] },
  );
  await work.run();
  return work;
}

test("of a goal that a person wrote themselves nothing goes by what they say while it runs; what they ask for is added and judged", async () => {
  const work = await withMail(handIn(goal([{ text: "it says goodbye" }])), handIn(verdict(["passed", "passed", "passed"])));
  const { checks } = parseGoal(await readFile(work.goalPath, "utf8"));
  expect(checks).toEqual([{ text: "it says goodbye" }, { text: "it says hello" }, COMMAND]);
  expect(work.stage.tasks("verdict")[0]?.payload.checks.map(({ check }) => check)).toEqual([
    "it says goodbye",
    "it says hello",
    "it builds",
  ]);
});

test("a check that the goal-setter hands in again as it was, written otherwise, is not there twice", async () => {
  const again = { ...COMMAND, expect: { stdoutMatches: "/^$/", exit: 0 } };
  const work = await withMail(handIn(goal([{ text: "it says hello" }, again])), handIn(verdict(["passed", "passed"])));
  expect(await texts(work.goalPath)).toEqual(["it says hello", "it builds"]);
});

test("no change leaves the file as the person wrote it, byte for byte but for the form", async () => {
  const work = await withMail(["Nothing to change."], handIn(verdict(["passed", "passed"])));
  expect(await readFile(work.goalPath, "utf8")).toBe(goalFile("it says hello", COMMAND));
});

test("a person who says what the goal should be is not held to the checks that they wrote before", async () => {
  const unreachable = handIn(verdict(["failed"], { impossible: "there is no Safari here" }));
  const work = await openWork(
    { worker: reports(2), judge: [...unreachable, ...handIn(verdict(["passed"]))], goalSetter: handIn(goal([{ text: "it says hello" }])) },
    { checks: ["it looks right in Safari"], answers: ["Change the goal", "forget Safari"] },
  );
  await work.run();
  expect(await texts(work.goalPath)).toEqual(["it says hello"]);
});
