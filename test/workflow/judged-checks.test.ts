import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import type { Check } from "../../src/workbench/check.ts";
import { failedAt, verdictOf } from "../../src/workflow/ctx.ts";
import { newFolder } from "../folder.ts";
import { handIn, OK, verdict } from "./lines.ts";
import { openWork, reports, type Work } from "./work.ts";

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

const notices = (work: Work, code: string) => work.stage.tasks("notice").filter(({ payload }) => payload.code === code);

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
])("commands in place that change files are reported: %s", async (_what, check, paths) => {
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [{ ...check, inPlace: true }] });
  await writeFile(join(work.stage.folder, "notes.txt"), "notes\n");
  await work.run();
  const told = notices(work, "checks-changed-files");
  expect(told.flatMap(({ payload }) => payload.data)).toEqual(paths);
  if (paths.length > 0) expect(told[0]?.text).toContain(paths[0]);
});

test("commands run in a copy, one for all of them: each finds what those before it left, the workspace stays as it was", async () => {
  const checks: readonly Check[] = [
    { text: "it builds", command: "mkdir built && cat notes.txt > built/out.txt && rm notes.txt" },
    { text: "it runs", command: "cat built/out.txt", expect: { stdoutContains: ["notes"] } },
  ];
  const work = await openWork({ worker: reports(1), judge: handIn(verdict(["passed", "passed"])) }, { checks });
  await writeFile(join(work.stage.folder, "notes.txt"), "notes\n");
  expect(verdictOf(await work.run())?.ok).toBe(true);
  expect((await readdir(work.stage.folder)).filter((name) => name !== "runs").sort()).toEqual(["goal.md", "notes.txt"]);
  expect(notices(work, "checks-changed-files")).toEqual([]);
});

test("the copy holds what is ignored and not committed, and not the books; it is gone afterwards", async () => {
  const where: Check = { text: "a", command: "ls -A; pwd", expect: { stdoutContains: [".env"] } };
  const { folder, inner } = await nested();
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [where], folder: inner });
  await writeFile(join(inner, ".env"), "x");
  await work.run();
  const [check] = work.stage.tasks("check");
  expect(check?.payload.ok).toBe(true);
  expect(check?.payload.evidence).not.toMatch(/^runs$/m);
  expect(check?.payload.evidence.trimEnd().split("\n").at(-1)).toBe(inner); // not a path that will be gone
  expect(await readdir(folder)).toEqual(["project"]);
});

test.each<[string, (folder: string) => Check]>([
  ["that says so", () => ({ text: "a", command: "touch seen", inPlace: true })],
  ["whose command names the workspace by its path", (folder) => ({ text: "a", command: `cd ${folder} && touch seen` })],
  ["that expects a file by its path", (folder) => ({ text: "a", command: "touch seen", expect: { creates: [join(folder, "seen")] } })],
  ["that expects output with the path", (folder) => ({ text: "a", command: "touch seen; pwd", expect: { stdoutContains: [folder] } })],
])("a check %s runs in the workspace itself", async (_what, toCheck) => {
  const folder = newFolder();
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [toCheck(folder)], folder });
  await work.run();
  expect(work.stage.tasks("check")[0]?.payload.ok).toBe(true);
  expect(await readFile(join(folder, "seen"), "utf8")).toBe("");
});

test("a path that only begins like the workspace's is another", async () => {
  const folder = newFolder();
  const work = await openWork(
    { worker: reports(1), judge: believing },
    { checks: [{ text: "a", command: `touch seen; ls ${folder}-x` }], folder },
  );
  await work.run();
  expect(await readdir(folder)).not.toContain("seen");
});

test("a workspace that cannot be copied is judged in place, compared before and after, and the person is told why", async () => {
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [{ text: "a", command: "touch seen" }] });
  vi.stubEnv("HOME", work.stage.folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await work.run();
  expect(notices(work, "no-copy")[0]?.text).toMatch(/in place, not in a copy, because the workspace is the home folder/);
  expect(notices(work, "checks-changed-files")[0]?.payload.data).toEqual(["seen"]);
});

test("a copy is no wall: what a command does to the workspace by a detour is seen", async () => {
  const folder = newFolder();
  await writeFile(join(folder, "detour.sh"), `touch ${join(folder, "seen")}\n`);
  const work = await openWork({ worker: reports(1), judge: believing }, { checks: [{ text: "a", command: "sh detour.sh" }], folder });
  await work.run();
  expect(notices(work, "checks-changed-files")[0]?.payload.data).toEqual(["seen"]);
});

test("no copy is made when no check has a command and the judge only looks", async () => {
  const { folder, inner } = await nested();
  const beside: string[] = [];
  const look: ScriptedStep = async () => {
    beside.push(...(await readdir(folder)));
    return verdict(["passed"]);
  };
  const work = await openWork({ worker: reports(1), judge: [look, OK] }, { folder: inner });
  await work.run();
  expect(beside).toEqual(["project"]);
});

async function nested(): Promise<{ readonly folder: string; readonly inner: string }> {
  const folder = newFolder();
  const inner = join(folder, "project");
  await mkdir(inner);
  return { folder, inner };
}
