import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { resultText } from "../../src/messages/message.ts";
import type { Check } from "../../src/workbench/check.ts";
import { goalToMarkdown, parseGoal } from "../../src/workbench/goal-document.ts";
import { failedAt, goalOf, resultsOf } from "../../src/workflow/ctx.ts";
import { type GoalOptions, goalStep } from "../../src/workflow/goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { goal, goalFile, handIn } from "./lines.ts";
import { openStage } from "./stage.ts";

const CHECKS: readonly Check[] = [
  { text: "cat shows it", command: "cat greeting.txt", expect: { stdoutContains: ["hello"], creates: ["greeting.txt"] } },
  { text: "it looks friendly" },
];

function set(goalSetter: readonly ScriptedStep[], options: Partial<GoalOptions> = {}) {
  const folder = newFolder();
  const path = join(folder, "goal.md");
  const step = goalStep(new HumanChannel({ timeoutMs: 0 }), { goalPath: path, ...options });
  const workflow = new Workflow([step], { context: { clarify: "THE BRIEF" } });
  return { stage: openStage({ goalSetter }, {}, folder), workflow, path };
}

const read = async (path: string) => parseGoal(await readFile(path, "utf8"));

test("a goal that the tool has accepted is frozen, with its commands, and reads back the same", async () => {
  const { stage, workflow, path } = set(handIn(goal(CHECKS)));
  const ctx = await stage.run(workflow);
  expect(await read(path)).toMatchObject({ statement: "greeting.txt says hello", checks: CHECKS, complete: true });
  expect(goalOf(ctx)).toMatchObject({ checks: CHECKS });
  expect(ctx["goal"]).toBe(await readFile(path, "utf8"));
  expect(stage.prompt("goalSetter", 0)).toContain("THE BRIEF");
  expect(stage.tasks("goal")[0]).toMatchObject({
    text: "1. cat shows it\n2. it looks friendly",
    payload: { path, total: 2, unverifiable: [] },
  });
});

test("a goal that cannot be judged is not accepted: the model is told why, check by check", async () => {
  const bad = goal([{ text: "x", command: "ls", expect: { stdoutMatches: "/(/" } }, { text: " " }], " ");
  const { stage, workflow } = set([bad, ...handIn(goal(CHECKS))]);
  const ctx = await stage.run(workflow);
  const [part] = stage.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  const text = part?.type === "result" && part.isError ? resultText(part.content) : "";
  expect(text).toMatch(/check 1: stdoutMatches is no regular expression/);
  expect(text).toMatch(/check 2: The text is empty/);
  expect(text).toMatch(/"statement" is empty/);
  expect(goalOf(ctx)?.checks).toEqual(CHECKS);
});

test.each([["zh"], ["pt"], ["en"]] as const)("a goal written out in Markdown (%s) counts as well", async (language) => {
  const { stage, workflow } = set([`So:\n\n${goalToMarkdown({ statement: "It greets.", checks: CHECKS }, language)}`]);
  expect(goalOf(await stage.run(workflow))).toMatchObject({ statement: "It greets.", checks: CHECKS });
});

test("a goal-setter that hands nothing in is asked once more in the same session; then the step has failed", async () => {
  const { stage, workflow, path } = set(["hm", "hm again"]);
  const ctx = await stage.run(workflow);
  expect(stage.prompt("goalSetter", 1)).toMatch(/Call the goal tool now/);
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(1);
  expect(failedAt(ctx)).toBe("goal");
  await expect(readFile(path)).rejects.toThrow();
});

test("a complete goal file skips the step, fills ctx, and is not announced again", async () => {
  const { stage, workflow, path } = set([]);
  await writeFile(path, goalFile("say hello"));
  const ctx = await stage.run(workflow);
  expect(goalOf(ctx)?.checks).toEqual([{ text: "say hello" }]);
  expect(ctx["goal"]).toContain("say hello");
  expect(stage.tasks("goal")).toEqual([]);
  expect(stage.of("step")[0]?.payload.skipped).toBe(true);
});

test.each<[string, string, Partial<GoalOptions>]>([
  ["a goal without a checklist", "# Goal\nIt greets.\n", {}],
  ["a whole goal that is to be set anew", goalFile("say hello"), { alwaysSet: true }],
  ["a whole goal, when a function says so", goalFile("say hello"), { alwaysSet: () => true }],
])("%s does not skip the step", async (_what, content, options) => {
  const { stage, workflow, path } = set(handIn(goal(CHECKS)), options);
  await writeFile(path, content);
  expect(goalOf(await stage.run(workflow))?.checks).toEqual(CHECKS);
});

test("a goal-setter that sets a goal anew is shown the old one and told to amend it", async () => {
  const { stage, workflow, path } = set(handIn(goal(CHECKS)), { alwaysSet: true });
  await writeFile(path, goalFile("say hello"));
  await stage.run(workflow);
  expect(stage.prompt("goalSetter", 0)).toMatch(/There is a goal already; amend it[\s\S]*- say hello/);
});
