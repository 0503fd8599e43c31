import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { booksGuard } from "../../src/guards/books.ts";
import type { CallGuard } from "../../src/tools/call.ts";
import { toolContext } from "../tools/tool-bench.ts";

let workspace = "";
let guard: CallGuard;

beforeAll(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "flower-books-")));
  await mkdir(join(workspace, "runs"));
  await mkdir(join(workspace, ".flower/notes/archive"), { recursive: true });
  await mkdir(join(workspace, "src"));
  await writeFile(join(workspace, ".flower/brief.md"), "the brief");
  await writeFile(join(workspace, ".flower/questions.md"), "Q1\nA1\n");
  await writeFile(join(workspace, ".flower/notes/archive/one.md"), "decided\n");
  await symlink("runs", join(workspace, "alias"));
  await symlink("../.flower/brief.md", join(workspace, "src/brief"));
  guard = booksGuard({
    workspace,
    runDir: join(workspace, "runs"),
    files: [join(workspace, ".flower/brief.md"), ".flower/goal.md"],
    appendOnly: [".flower/questions.md", ".flower/notes/archive"],
  });
});

afterAll(() => rm(workspace, { recursive: true, force: true }));

async function denial(name: string, args: Record<string, string | boolean>) {
  return guard.before?.({ type: "call", callId: "c", name, args }, toolContext());
}

test.each([
  "runs/events.jsonl",
  "runs/new/deep.json",
  "./src/../runs/x",
  "{workspace}/runs/x",
  "alias/x",
  "RUNS/x",
  "src/brief",
  ".flower/Brief.md",
  ".flower/goal.md",
])("neither Write nor Edit gets at %s", async (path) => {
  const file_path = path.replace("{workspace}", workspace);
  expect(await denial("Write", { file_path, content: "x" })).toContain("agents read but never write");
  expect(await denial("Edit", { file_path, old_string: "a", new_string: "b" })).toContain("agents read but never write");
});

test.each(["src/runs", "runs2/x", "runs.md", ".flower/notes/new.md", "brief.md"])("%s may be written", async (file_path) => {
  expect(await denial("Write", { file_path, content: "x" })).toBeUndefined();
});

test("an append-only file may only grow", async () => {
  const file_path = ".flower/questions.md";
  expect(await denial("Write", { file_path, content: "Q1\nA1\nQ2\n" })).toBeUndefined();
  expect(await denial("Write", { file_path, content: "Q1\n" })).toContain("may only grow");
  expect(await denial("Edit", { file_path, old_string: "A1\n", new_string: "A1\nQ2\n" })).toBeUndefined();
  expect(await denial("Edit", { file_path, old_string: "Q1\n", new_string: "Q1\nA0\n" })).toContain("may only grow");
  expect(await denial("Edit", { file_path, old_string: "A1\n", new_string: "A2\n" })).toContain("may only grow");
  expect(await denial("Write", { file_path: ".flower/notes/archive/two.md", content: "x" })).toBeUndefined();
  expect(await denial("Write", { file_path: ".flower/notes/archive/one.md", content: "x" })).toContain("may only grow");
});

test.each([
  "echo x > runs/a",
  "echo x >> runs/a",
  "echo x >| .flower/goal.md",
  "cat y | tee runs/a",
  "rm -rf runs",
  "rm -rf .",
  "rm -rf *",
  "rm -rf ./r*s",
  "rm runs/*.jsonl",
  "rm -rf .flower",
  "cd runs && rm x",
  "cd src; echo x > ../runs/a",
  "mv runs old",
  "mv a runs/b",
  "cp a .flower/brief.md",
  "sed -i s/a/b/ src/brief",
  "truncate -s 0 alias/events.jsonl",
  "bash -c 'rm -rf runs'",
  "find runs -name x -delete",
  "echo x > .flower/questions.md",
  "rm .flower/notes/archive/one.md",
  "sed -i s/a/b/ .flower/questions.md",
  "git checkout -- runs/a",
  "git -C . restore runs/a",
  "git stash --all",
  "git stash -ua",
  "ln runs/a mine && echo x > mine",
  "cp x/brief.md .flower",
  "mv other/goal.md .flower/",
  "cp -t .flower x/brief.md",
  "rsync -a --delete src/ .",
  "find src -name x -exec cp {} runs/a \\;",
])("the command is denied: %s", async (command) => {
  expect(await denial("Bash", { command })).toMatch(/on purpose/);
});

test.each([
  "cat runs/a",
  "grep x runs/* > src/out",
  "cp runs/a src/b",
  "rm -rf src",
  "git stash && git stash pop",
  "cp x/plan.md .flower",
  "ln -s ../runs.md src/link",
  "rm *.o",
  "ls runs; rm x",
  "echo x >> .flower/questions.md",
  "echo x | tee -a .flower/questions.md",
  "echo runs > x",
  "unfinished 'quote",
])("the command may run: %s", async (command) => {
  expect(await denial("Bash", { command })).toBeUndefined();
});

test.each(["rm -rf .", "find . -name '*.log' -delete", "rm -rf ./r*s", "mv .flower old"])(
  "what would take the books along is told to name what it means: %s",
  async (command) => {
    expect(await denial("Bash", { command })).toContain("Name the files or folders that you mean instead.");
  },
);

test("reading is nobody's business", async () => {
  expect(await denial("Read", { file_path: "runs/a" })).toBeUndefined();
});
