import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedAnswer, ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { parseGoal } from "../../src/workbench/goal-document.ts";
import { abortedBecause, failedAt } from "../../src/workflow/ctx.ts";
import { goalStep } from "../../src/workflow/goal.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { goal, handIn, OK, verdict } from "./lines.ts";
import { openStage } from "./stage.ts";
import { openWork, reports } from "./work.ts";

const AMENDABLE = { keepsMail: true, isHandedIn: true } as const;
const achieved = handIn(verdict(["passed"]));
const notYet = handIn(verdict(["failed"]));
const amended = (text: string) => handIn(goal([{ text }]));

/** A reply during which the person says something. A file's time has milliseconds: the words come in a later one. */
function hearing(channel: () => HumanChannel, words: string, answer: ScriptedAnswer): ScriptedStep {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await channel().send(words);
    return answer;
  };
}

test("what a person said since freezing is put to the goal-setter once, before the next judging", async () => {
  const work = await openWork(
    {
      worker: [hearing(() => work.channel, "goodbye, not hello", "report 1"), ...reports(2)],
      goalSetter: amended("it says goodbye"),
      judge: [...notYet, ...achieved],
    },
    AMENDABLE,
  );
  await work.run();
  expect(work.stage.requests("goalSetter")).toHaveLength(2 + 2);
  expect(work.stage.prompt("goalSetter", 2)).toMatch(
    /Since the goal was set, the person said:\n\ngoodbye, not hello\n[\s\S]*- it says hello/,
  );
  expect(work.stage.prompt("judge", 0)).toContain("1. it says goodbye");
  expect(parseGoal(await readFile(work.goalPath, "utf8")).checks).toEqual([{ text: "it says goodbye" }]);
});

test("saying nothing costs nothing", async () => {
  const work = await openWork({ worker: reports(2), judge: [...notYet, ...achieved] }, AMENDABLE);
  await work.run();
  expect(work.stage.requests("goalSetter")).toHaveLength(2);
});

test("no change is a valid answer: the goal stays as it is, and the same words are not put again", async () => {
  const work = await openWork(
    {
      worker: [hearing(() => work.channel, "well done so far", "report 1"), ...reports(2)],
      goalSetter: ["Nothing to change."],
      judge: [...notYet, ...achieved],
    },
    AMENDABLE,
  );
  await work.run();
  expect(parseGoal(await readFile(work.goalPath, "utf8")).checks).toEqual([{ text: "it says hello" }]);
});

test("what is said while the goal-setter amends is heard at the next judging, not lost", async () => {
  const [handingIn, closing] = amended("it says goodbye");
  const work = await openWork(
    {
      worker: [hearing(() => work.channel, "goodbye, not hello", "report 1"), ...reports(3)],
      goalSetter: [hearing(() => work.channel, "and in capitals", handingIn), closing, ...amended("it says GOODBYE")],
      judge: [...notYet, ...achieved],
    },
    AMENDABLE,
  );
  await work.run();
  expect(work.stage.prompt("goalSetter", 4)).toContain("and in capitals");
  expect(work.stage.prompt("goalSetter", 4)).not.toContain("goodbye, not hello\n\nand");
  expect(work.stage.prompt("judge", 2)).toContain("1. it says GOODBYE");
});

test("a goal-setter that cannot work stops the run: nothing is judged as if the person had not spoken", async () => {
  const work = await openWork(
    {
      worker: [hearing(() => work.channel, "goodbye, not hello", "report 1"), "report 2"],
      goalSetter: [new FlowerError("auth", "bad key")],
    },
    AMENDABLE,
  );
  const ctx = await work.run();
  expect(failedAt(ctx)).toBe("work");
  expect(abortedBecause(ctx)).toMatch(/could not be amended.*bad key/);
  expect(work.stage.requests("judge")).toEqual([]);
});

test("what is said while the goal is being set is heard before the first judging", async () => {
  const folder = newFolder();
  const goalPath = join(folder, "goal.md");
  const channel = new HumanChannel({ amendPath: join(folder, "brief.md") });
  const first = hearing(() => channel, "and in capitals", goal([{ text: "it says hello" }]));
  const stage = openStage({ goalSetter: [first, OK, ...amended("it says HELLO")], worker: reports(2), judge: achieved }, {}, folder);
  const work = withGoal(new Step("work", { agent: worker(), prompt: "go" }), channel, { goalPath });
  await stage.run(new Workflow([goalStep(channel, { goalPath }), work], { channel }));
  expect(stage.prompt("goalSetter", 2)).toContain("and in capitals");
  expect(stage.prompt("judge", 0)).toContain("1. it says HELLO");
});
