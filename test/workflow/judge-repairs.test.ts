import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedCall, ScriptedStep } from "../../src/engines/scripted.ts";
import { diffTree, hashTree } from "../../src/guards/tree-hash.ts";
import { resultText } from "../../src/messages/message.ts";
import { worker as workerRole } from "../../src/runtime/roles.ts";
import { verdictOf } from "../../src/workflow/ctx.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports, type WorkOptions } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const bash = (command: string): ScriptedCall => ({ name: "Bash", args: { command } });

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "pipe" }).toString();
}

/** A repository with work that is not committed, and files that it ignores. */
async function repository(): Promise<string> {
  const workspace = join(newFolder(), "project");
  await mkdir(workspace);
  git(workspace, "init", "-q");
  for (const [name, text] of Object.entries({ ".gitignore": "built\n.env\n", "a.txt": "committed\n", built: "x\n", ".env": "KEY=1\n" }))
    await writeFile(join(workspace, name), text);
  git(workspace, "add", ".");
  git(workspace, "commit", "-qm", "first");
  await writeFile(join(workspace, "a.txt"), "worked on\n");
  return workspace;
}

/** What the judge's commands gave, and what became of the workspace. */
async function judgedWith(workspace: string, commands: readonly string[], options: WorkOptions = {}) {
  const judge: readonly ScriptedStep[] = [...commands.map((command) => ({ calls: [bash(command)] })), ...achieved];
  const work = await openWork({ worker: reports(1), judge }, { canRun: true, folder: workspace, ...options });
  const exclude = [join(workspace, "runs")];
  const before = await hashTree(workspace, { exclude });
  await work.run();
  const { added, changed, removed } = diffTree(before, await hashTree(workspace, { exclude }));
  const results = work.stage
    .requests("judge")
    .slice(1, commands.length + 1)
    .flatMap(({ messages }) => messages.at(-1)?.parts ?? [])
    .flatMap((part) => (part.type === "result" ? [{ isError: part.isError, text: resultText(part.content) }] : []));
  const notices = work.stage.tasks("notice").map(({ payload }) => payload.code);
  return { work, results, notices, changes: [...added, ...changed, ...removed] };
}

test("a judge sees what is not committed and what git ignores, and what it repairs by commands and by git stays in its copy", async () => {
  const workspace = await repository();
  const stateOfGit = () =>
    [["for-each-ref"], ["symbolic-ref", "HEAD"], ["stash", "list"], ["diff", "HEAD"]].map((args) => git(workspace, ...args));
  const before = stateOfGit();
  const { results, changes, notices } = await judgedWith(workspace, [
    "cat a.txt built .env",
    "echo repaired > a.txt && rm built && touch new",
    "git -c user.name=j -c user.email=j@j commit -qam repaired && git stash list && git checkout -q -b mine && git tag done",
    "git checkout -q -- . && git reset -q --hard HEAD~1 && git clean -fdx -e .flower -e runs && cat a.txt",
  ]);
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(results[0]?.text).toContain("worked on\nx\nKEY=1");
  expect(results[3]?.text).toContain("committed");
  expect([changes, notices]).toEqual([[], []]);
  expect(stateOfGit()).toEqual(before);
});

test("a judge that goes to the workspace itself, by its path, by cd, by git, by a way up or a link, is refused and told so", async () => {
  const workspace = await repository();
  const { results, changes, notices } = await judgedWith(workspace, [
    `echo repaired > ${workspace}/a.txt`,
    `cd ${workspace} && echo repaired > a.txt`,
    `git -C ${workspace} checkout -- .`,
    "cd ../../project && echo repaired > a.txt",
    `ln -s ${workspace} there && echo repaired > there/a.txt`,
    `node -e "require('fs').writeFileSync('${workspace}/a.txt', '')"`,
    `printf 'touch ${workspace}/new' | sh`,
  ]);
  for (const { isError, text } of results) expect([isError, text]).toEqual([true, expect.stringMatching(/on purpose/)]);
  expect(results).toHaveLength(7);
  expect([changes, notices]).toEqual([[], []]);
});

test("the copy of a linked worktree has no repository of its own: a judge may look at it by git, and change nothing in it", async () => {
  const main = await repository();
  const workspace = join(main, "..", "linked");
  git(main, "worktree", "add", "-q", workspace);
  const { results } = await judgedWith(workspace, ["git log --oneline", "git commit --allow-empty -m x"]);
  expect(results.map(({ isError }) => isError)).toEqual([false, true]);
  expect(git(workspace, "log", "--oneline").trim().split("\n")).toHaveLength(1);
});

test("a judge of the user's own that asks nobody is kept from the workspace too", async () => {
  const workspace = await repository();
  const agent = worker({ name: "mine", tools: ["Bash", "Write"], permissions: { mode: "bypassPermissions" } });
  const write: ScriptedStep = {
    calls: [{ name: "Write", args: { file_path: join(workspace, "new"), content: "x" } }, bash(`touch ${workspace}/new`)],
  };
  const work = await openWork({ worker: reports(1), judge: [write, ...achieved] }, { agent, folder: workspace });
  await work.run();
  expect(work.stage.of("tool_result").filter(({ payload }) => payload.isError)).toHaveLength(2);
  await expect(readFile(join(workspace, "new"))).rejects.toThrow();
});

const SERVER = `import { createServer } from "node:http";
import { appendFileSync, writeFileSync } from "node:fs";
createServer((_, res) => { appendFileSync("hits", "x"); res.end("hello"); })
  .listen(0, function () { writeFileSync("port", String(this.address().port)); });\n`;
const FETCH = `node -e "fetch('http://localhost:'+require('fs').readFileSync('port')).then(r=>r.text()).then(console.log)"`;

test("a check about a process that the worker left running runs in place, and what that changes in the workspace is told", async () => {
  const folder = newFolder();
  await writeFile(join(folder, "server.mjs"), SERVER);
  const check = { text: "the server answers", command: `${FETCH} && pwd`, inPlace: true, expect: { stdoutContains: ["hello", folder] } };
  const start: ScriptedCall = { name: "Bash", args: { command: "node server.mjs", run_in_background: true } };
  const cast = {
    worker: [{ calls: [start] }, { calls: [bash("until test -s port; do sleep 0.02; done")] }, "It runs."],
    judge: achieved,
  };
  const work = await openWork(cast, { folder, checks: [check], workAgent: workerRole() });
  expect(verdictOf(await work.run())).toMatchObject({ state: "achieved" });
  expect(work.stage.tasks("check")[0]?.payload).toMatchObject({ ok: true });
  const told = work.stage.tasks("notice").filter(({ payload }) => payload.code === "checks-changed-files");
  expect(told.map(({ payload }) => payload.data)).toEqual([["hits"]]);
});
