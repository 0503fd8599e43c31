import { existsSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Script, ScriptedCall } from "../../src/engines/scripted.ts";
import { type ResultPart, resultText, textOf } from "../../src/messages/message.ts";
import { judge, worker } from "../../src/runtime/roles.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { type Bench, openBench } from "./bench.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", args: { command } });
const write = (file_path: string, content = "x"): ScriptedCall => ({ name: "Write", args: { file_path, content } });
const LONG = bash("seq 2000");

function open(script: Script, options: RuntimeOptions = {}) {
  const bench = openBench(script, { clock: systemClock, ...options }); // commands take real time
  const { workbench } = bench.runtime;
  workbench.ensure();
  const run = (prompt = "go", more = {}) => bench.finish(bench.runtime.run(worker(), prompt, more));
  return { ...bench, workbench, run, spilled: () => readdirSync(workbench.spill) };
}

/** What the calls of the model's n-th reply came to. */
function results(bench: Bench, reply = 0): readonly string[] {
  const parts = bench.engine.requests[reply + 1]?.messages.at(-1)?.parts ?? [];
  return parts.filter((part): part is ResultPart => part.type === "result").map((part) => resultText(part.content));
}

function prompt(bench: Bench, request: number): string {
  const message = bench.engine.requests[request]?.messages.findLast(({ role }) => role === "user");
  return message ? textOf(message) : "";
}

test("a long result lies in a file, and the model reads the rest there", async () => {
  const bench = open((request) => {
    const file = /kept in (\S+):/.exec(JSON.stringify(request.messages))?.[1] ?? "";
    if (request.messages.length === 1) return { calls: [LONG] };
    return request.messages.length === 3 ? { calls: [{ name: "Read", args: { file_path: file } }] } : "done";
  });
  expect((await bench.run()).ok).toBe(true);
  expect(bench.spilled()).toHaveLength(1);
  expect(results(bench)[0]?.length).toBeLessThan(1_200);
  expect(results(bench, 1)[0]).toContain("1234");
  expect(bench.spilled()).toHaveLength(1);
});

test.each([
  [0, 0],
  [Number.POSITIVE_INFINITY, 0],
  [100_000, 0],
  [100, 1],
])("with a threshold of %d, %d files are made", async (spillThreshold, files) => {
  const bench = open([{ calls: [LONG] }, "done"], { spillThreshold });
  await bench.run();
  expect(bench.spilled()).toHaveLength(files);
});

test("a threshold that is none is refused", () => {
  expect(() => openBench([], { spillThreshold: -1 })).toThrow(/spillThreshold/);
});

test.each<[string, ScriptedCall]>([
  ["Write", write(".flower/artifacts/a.txt")],
  ["a command", bash("echo x > .flower/artifacts/a.txt")],
  ["a program", bash("node make.cjs")],
])("what %s writes into the workbench is in the index after the call", async (_by, call) => {
  const bench = open([{ calls: [call] }, "done"]);
  await writeFile(join(bench.folder, "make.cjs"), `require("fs").writeFileSync(".flower/artifacts/a.txt", "x")`);
  await bench.run();
  expect(readFileSync(bench.workbench.indexPath, "utf8")).toContain("artifacts/a.txt");
});

test("where there is no workbench none is made by looking", async () => {
  const bench = openBench([{ calls: [bash("true")] }, "done"]);
  await bench.finish(bench.runtime.run(worker(), "go"));
  expect(existsSync(bench.runtime.workbench.root)).toBe(false);
});

test.each<[string, ScriptedCall]>([
  ["the brief", write(".flower/notes/brief.md")],
  ["the goal in another language", write(".flower/notes/objetivo.md")],
  ["another agent's spill", write(".flower/spill/0123.txt")],
  ["spill by a command", bash("echo x > .flower/spill/0123.txt")],
  ["the run's books", write("runs/manifest.json")],
  ["the archive, by removing", bash("rm -r .flower/notes/archive")],
  ["the record of questions, by a new one", write(".flower/notes/questions.md", "none")],
])("an agent cannot change %s", async (_what, call) => {
  const bench = open([{ calls: [call] }, "done"]);
  await mkdir(join(bench.workbench.notes, "archive"));
  await writeFile(bench.workbench.questionsPath(), "q1\n");
  await bench.run();
  expect(results(bench)[0]).toMatch(/on purpose/);
});

test("the record of questions may grow", async () => {
  const bench = open([{ calls: [bash("echo q2 >> .flower/notes/questions.md")] }, "done"]);
  await writeFile(bench.workbench.questionsPath(), "q1\n");
  await bench.run();
  expect(readFileSync(bench.workbench.questionsPath(), "utf8")).toBe("q1\nq2\n");
});

test("a session's first message tells what the workbench holds; when it goes on, only what is new", async () => {
  const bench = open(["one", "two", "three"]);
  await bench.workbench.write("notes/plan.md", "# desc: the plan\n");
  const { sessionId } = await bench.run("first");
  expect(prompt(bench, 0)).toMatch(/^# Workbench[\s\S]*notes\/plan\.md — the plan[\s\S]*\n\nfirst$/);
  await bench.run("second", { resume: sessionId });
  expect(prompt(bench, 1)).toBe("second");
  await appendFile(join(bench.workbench.notes, "plan.md"), "more\n");
  await bench.run("third", { resume: sessionId });
  expect(prompt(bench, 2)).toMatch(/^Files of the workbench now[\s\S]*notes\/plan\.md[\s\S]*\n\nthird$/);
});

test("an empty workbench is not worth a word, and whoever only judges is told nothing", async () => {
  const bench = open(["one", "two"]);
  await bench.run("alone");
  expect(prompt(bench, 0)).toBe("alone");
  await bench.workbench.write("notes/plan.md", "x");
  await bench.finish(bench.runtime.run(judge(), "look"));
  expect(prompt(bench, 1)).toBe("look");
});

test("a workbench elsewhere may be written like the workspace", async () => {
  const elsewhere = openBench([]).folder;
  const folder = openBench([]).folder;
  const workbench = new Workbench(folder, { home: join(elsewhere, "bench") }).ensure();
  const bench = openBench([{ calls: [write(join(workbench.artifacts, "a.txt"))] }, "done"], { workbench }, folder);
  await bench.finish(bench.runtime.run(worker(), "go"));
  expect(readFileSync(join(workbench.artifacts, "a.txt"), "utf8")).toBe("x");
});
