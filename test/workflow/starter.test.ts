import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError, isFlowerError } from "../../src/core/errors.ts";
import type { Language } from "../../src/i18n/catalogue.ts";
import { briefOf, failedAt, goalOf, requestOf, verdictOf } from "../../src/workflow/ctx.ts";
import { type StarterOptions, starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { BRIEF, brief, goal, handIn, verdict } from "./lines.ts";
import { type Cast, openStage } from "./stage.ts";

const CHECKS = [{ text: "it says hello" }];
const WHOLE: Cast = {
  clarifier: handIn(brief()),
  goalSetter: handIn(goal(CHECKS)),
  worker: ["I wrote it."],
  judge: handIn(verdict(["passed"])),
};

function set(cast: Cast, options: StarterOptions = {}) {
  const workspace = options.workspace ?? newFolder();
  const workflow = starterFlow("make a greeting", { timeoutMs: 0, ...options, workspace });
  const stage = openStage(cast, { workbench: workflow.workbench, language: options.language }, workspace);
  return { stage, workflow, workspace };
}

test("clarify, goal, work and judge, one after the other, each with what it needs of the ones before", async () => {
  const { stage, workflow } = set(WHOLE);
  const ctx = await stage.run(workflow);
  expect(failedAt(ctx)).toBeUndefined();
  expect(stage.of("step").map((event) => event.text)).toEqual(["clarify", "goal", "work"]);
  expect([briefOf(ctx), goalOf(ctx)?.checks, verdictOf(ctx)?.state]).toEqual([BRIEF, CHECKS, "achieved"]);
  expect(stage.prompt("clarifier", 0)).toContain("make a greeting");
  expect(stage.prompt("goalSetter", 0)).toContain("A file greeting.txt.");
  const work = stage.prompt("worker", 0);
  for (const part of ["A file greeting.txt.", "- it says hello", workflow.workbench.briefPath(), workflow.workbench.goalPath()])
    expect(work).toContain(part);
  expect(requestOf(ctx)).toBe("make a greeting");
});

test.each<[Language, readonly string[], readonly string[]]>([
  ["en", ["clarify", "goal", "work"], ["brief.md", "goal.md", "questions.md"]],
  ["zh", ["确认需求", "设定目标", "干活"], ["目标.md", "问答记录.md", "需求.md"]],
  ["pt", ["esclarecer", "objetivo", "trabalho"], ["objetivo.md", "perguntas.md", "requisitos.md"]],
])("names of steps and files follow the language (%s)", async (language, steps, files) => {
  const ask = { calls: [{ name: "mcp__human__ask", args: { question: "?" } }] };
  const { stage, workflow, workspace } = set({ ...WHOLE, clarifier: [ask, ...handIn(brief())] }, { language });
  const ctx = await stage.run(workflow);
  expect(failedAt(ctx)).toBeUndefined();
  expect(workflow.steps.map((step) => step.name)).toEqual(steps);
  const notes = (await readdir(join(workspace, ".flower/notes"))).filter((name) => name.endsWith(".md"));
  expect(notes.sort()).toEqual([...files].sort());
});

test("only clarifying stops after the brief", async () => {
  const { stage, workflow } = set({ clarifier: WHOLE.clarifier }, { clarifyOnly: true });
  await stage.run(workflow);
  expect(await readFile(workflow.workbench.briefPath(), "utf8")).toContain("A file greeting.txt.");
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});

test("without a goal the work is done once, and nobody judges", async () => {
  const { stage, workflow } = set({ clarifier: WHOLE.clarifier, worker: WHOLE.worker }, { goal: false });
  expect(failedAt(await stage.run(workflow))).toBeUndefined();
  expect(existsSync(workflow.workbench.goalPath())).toBe(false);
});

test("rounds, rules and further words for the worker are passed on", async () => {
  const { stage, workflow } = set(
    { ...WHOLE, judge: handIn(verdict(["failed"])) },
    { rounds: 1, instructions: "Be brief.", workerPrompt: "Use plain words." },
  );
  expect(failedAt(await stage.run(workflow))).toBe("work");
  expect(stage.prompt("worker", 0)).toMatch(/Use plain words\.$/);
  for (const role of ["clarifier", "goalSetter", "worker", "judge"] as const)
    expect(stage.requests(role)[0]?.instructions, role).toMatch(/Be brief\.$/);
});

test("every way in which a role fails is a failed run, at that step", async () => {
  const bad = new FlowerError("auth", "bad key");
  for (const [step, cast] of [
    ["clarify", { clarifier: [bad] }],
    ["goal", { ...WHOLE, goalSetter: [bad] }],
    ["work", { ...WHOLE, worker: [bad] }],
    ["work", { ...WHOLE, judge: [bad] }],
  ] as const) {
    const { stage, workflow } = set(cast);
    expect(failedAt(await stage.run(workflow))).toBe(step);
  }
});

test("without a request, and with nothing to go on with, it does not start", async () => {
  const { stage } = set({});
  const error = await stage.run(starterFlow(undefined, { workspace: stage.folder })).catch((thrown: unknown) => thrown);
  expect(isFlowerError(error, "bad-input")).toBe(true);
  expect(stage.events).toEqual([]);
});
