import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import type { Check } from "../../src/workbench/check.ts";
import { failedAt, verdictOf } from "../../src/workflow/ctx.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports } from "./work.ts";

const CAT: Check = { text: "it says hello", command: "cat greeting.txt", expect: { stdoutContains: ["hello"] } };
const believing = handIn(verdict(["passed"], { reason: "The report says so." }));

test("a hard check that fails beats a judge that believes the report; the judge and the worker are told", async () => {
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [CAT], rounds: 1 });
  const ctx = await work.run();
  expect(verdictOf(ctx)).toMatchObject({ state: "not_yet", checks: [{ state: "failed", evidence: expect.stringContaining("exit 1") }] });
  expect(failedAt(ctx)).toBe("work");
  expect(work.stage.prompt("judge", 0)).toMatch(/Check 1: NOT as expected\n {4}\$ cat greeting\.txt\n {4}exit 1/);
  expect(work.stage.tasks("check")[0]?.payload).toMatchObject({ step: "work", index: 1, total: 1, check: "it says hello", ok: false });
});

test("a hard check that holds is evidence enough for what the judge passed", async () => {
  const bare = verdict(["passed"], { checks: [{ number: 1, state: "passed", evidence: "" }] });
  const work = await openWork({ worker: reports(1), judge: handIn(bare) }, { checks: [CAT] });
  await writeFile(join(work.stage.folder, "greeting.txt"), "hello\n");
  expect(verdictOf(await work.run())).toMatchObject({ state: "achieved", checks: [{ evidence: expect.stringContaining("hello") }] });
});

test("checks run before every judging, on what is there then", async () => {
  const write: ScriptedStep = { calls: [{ name: "write_it" }] };
  const work = await openWork({ worker: ["nothing yet", write, "done"], judge: [...believing, ...believing] }, { checks: [CAT] });
  const publish = work.stage.runtime.publish.bind(work.stage.runtime);
  work.stage.runtime.publish = (event, sink) => {
    if (event.kind === "tool_call" && event.tool === "write_it") void writeFile(join(work.stage.folder, "greeting.txt"), "hello\n");
    publish(event, sink);
  };
  const ctx = await work.run();
  expect(work.stage.tasks("check").map(({ payload }) => payload.ok)).toEqual([false, true]);
  expect(failedAt(ctx)).toBeUndefined();
});

test("with checks turned off no command is run", async () => {
  const touch: Check = { text: "a", command: "touch ran" };
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [touch], runChecks: false });
  await work.run();
  expect(work.stage.tasks("check")).toEqual([]);
  await expect(readFile(join(work.stage.folder, "ran"))).rejects.toThrow();
});

test.each<[string, Check, readonly string[]]>([
  ["a file they make", { text: "a", command: "echo x > stray.txt" }, ["stray.txt"]],
  ["a file they change", { text: "a", command: "echo more >> notes.txt" }, ["notes.txt"]],
  ["a file they remove", { text: "a", command: "rm notes.txt" }, ["notes.txt"]],
  [
    "nothing, when the file is what the check says it makes",
    { text: "a", command: "echo x > out.txt", expect: { creates: ["out.txt"] } },
    [],
  ],
  ["nothing, however that path is written", { text: "a", command: "echo x > out.txt", expect: { creates: ["./out.txt"] } }, []],
  ["nothing, when they only look", { text: "a", command: "cat notes.txt" }, []],
])("commands of checks that change files are reported: %s", async (_what, check, paths) => {
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [check] });
  await writeFile(join(work.stage.folder, "notes.txt"), "notes\n");
  await work.run();
  const notices = work.stage.tasks("notice").filter(({ payload }) => payload.code === "checks-changed-files");
  expect(notices.flatMap(({ payload }) => payload.data)).toEqual(paths);
  if (paths.length > 0) expect(notices[0]?.text).toContain(paths[0]);
});
