import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { Gate } from "./gate.ts";
import { serveModel } from "./model-server.ts";
import { isAccepted, REQUEST, smallJob } from "./small-job.ts";

/** An editor that is a shell script; it gets the file as its first argument. */
async function editor(script: string): Promise<Record<string, string>> {
  const path = join(await newFolder(), "my editor");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o700);
  return { EDITOR: `'${path}'` };
}

const GOAL = "# Goal\nIt greets.\n\n# Checklist\n- greeting.txt says Hello\n  $ cat greeting.txt\n  => exit 0\n";

async function folderWithGoal(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await newFolder();
  await mkdir(join(folder, ".flower/notes"), { recursive: true });
  const path = join(folder, ".flower/notes/goal.md");
  await writeFile(path, GOAL);
  return { folder, path };
}

test("the goal is shown as it stands, or as data; a brief that is not there is an error that says how to begin one", async () => {
  const { folder, path } = await folderWithGoal();
  expect(await flower(["goal"], { cwd: folder })).toEqual({ code: 0, stdout: `${GOAL.trimEnd()}\n`, stderr: "" });
  const { stdout } = await flower(["goal", "--json", "--lang", "pt"], { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({
    path,
    complete: true,
    statement: "It greets.",
    checks: [{ text: "greeting.txt says Hello" }],
  });
  const none = await flower(["brief"], { cwd: folder });
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(none.stderr).toContain("flower brief --edit");
});

test.each<[string, string, RegExp]>([
  ["loses its checks", 'printf "# Goal\\nOnly words\\n" > "$1"', /Missing or not understood: Checklist\.\n.*lies in (\S+)\.$/m],
  ["fails", 'echo half >> "$1"; exit 3', /error \(3\)[\s\S]*lies in (\S+)\.$/m],
])("an edit that %s is refused; the document stays, and so does what the person wrote", async (_what, script, words) => {
  const { folder, path } = await folderWithGoal();
  const { code, stderr } = await flower(["goal", "--edit"], { cwd: folder, env: await editor(script) });
  expect(code).toBe(1);
  expect(stderr).toMatch(words);
  expect(await readFile(path, "utf8")).toBe(GOAL);
  expect(await readFile(/lies in (\S+)\.$/m.exec(stderr)?.[1] ?? "", "utf8")).not.toBe(GOAL);
});

test("an edit that changes nothing, and one without an editor, change nothing", async () => {
  const { folder, path } = await folderWithGoal();
  expect(await flower(["goal", "--edit"], { cwd: folder, env: await editor("true") })).toMatchObject({
    code: 0,
    stdout: "Nothing was changed.\n",
  });
  expect((await flower(["goal", "--edit"], { cwd: folder })).stderr).toMatch(/VISUAL or EDITOR/);
  expect(await readFile(path, "utf8")).toBe(GOAL);
});

test("a document that somebody else changes meanwhile is not overwritten; words added to a brief meanwhile are kept", async () => {
  const { folder, path } = await folderWithGoal();
  const env = await editor(`echo "- it is short" >> "$1"; echo "- it is long" >> '${path}'`);
  const raced = await flower(["goal", "--edit"], { cwd: folder, env });
  expect(raced.code).toBe(1);
  expect(await readFile(path, "utf8")).toBe(`${GOAL}- it is long\n`);
  const brief = join(folder, ".flower/notes/brief.md");
  await writeFile(brief, "## Goal\n\ng\n\n## Acceptance criteria\n\nc\n\n## Boundaries\n\nb\n\n## Unknowns and assumptions\n\nu\n");
  const said = "\\n## Said during the run · 2026-01-02T03:04:05.000Z · m1\\n\\n> be brief\\n";
  const shown = await flower(["brief", "--json"], { cwd: folder });
  expect(JSON.parse(shown.stdout)).toMatchObject({ complete: true });
  const kept = await flower(["brief", "--edit"], {
    cwd: folder,
    env: await editor(`sed -i 's/^g$/greet/' "$1"; printf '${said}' >> '${brief}'`),
  });
  expect(kept.code, kept.stderr).toBe(0);
  expect(await readFile(brief, "utf8")).toMatch(/greet[\s\S]*> be brief/);
});

async function finishedJob() {
  const job = smallJob();
  const server = await serveModel(smallJob({ "goal-setter": (view) => (isAccepted(view) ? { text: "Set." } : job(view)) }));
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  return { server, folder, books: new Books(folder), before: server.requests.length };
}

test("an edited brief has the goal derived again and the work done by it at the next start, also when all was finished", async () => {
  const { server, folder, books, before } = await finishedJob();
  const edited = await flower(["brief", "--edit"], { cwd: folder, env: await editor(`sed -i 's/One file/Two files/' "$1"`) });
  expect(edited.code, edited.stderr).toBe(0);
  expect(edited.stdout).toContain("derives the goal from it again");
  const { code, stdout } = await flower([], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  const roles = server.requests.slice(before).map(({ role }) => role);
  expect([...new Set(roles)]).toEqual(["goal-setter", "worker", "judge"]);
  expect((await books.payloads("step")).map(({ skipped }) => skipped === true)).toEqual([true, false, false]);
  expect(
    server.requests
      .slice(before)
      .find(({ role }) => role === "goal-setter")
      ?.texts.join(),
  ).toContain("+ Two files.");
  expect((await books.payloads("task")).filter((task) => task.type === "notice").map(({ code }) => code)).toEqual(["woke"]);
});

test("a brief edited without the command is taken in by the next start in the same way, once", async () => {
  const { server, folder, books, before } = await finishedJob();
  const path = join(folder, ".flower/notes/brief.md");
  await writeFile(path, (await readFile(path, "utf8")).replace("One file.", "Two files."));
  const { code, stdout } = await flower([], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/edited brief[\s\S]*- One file\.\s+\+ Two files\./);
  const later = server.requests.slice(before);
  expect([...new Set(later.map(({ role }) => role))]).toEqual(["goal-setter", "worker", "judge"]);
  expect(later[0]?.texts.join()).toContain("+ Two files.");
  expect((await flower([], { cwd: folder, env: server.env() })).code).toBe(0);
  expect(server.requests).toHaveLength(before + later.length);
  expect((await books.note("brief.md")).split("+ Two files.")).toHaveLength(2);
});

test("an edited goal reopens the work and stays as the person wrote it; status shows its checks with their evidence", async () => {
  const { server, folder, before } = await finishedJob();
  const edited = await flower(["goal", "--edit"], { cwd: folder, env: await editor(`sed -i 's/says Hello/says Hello loudly/' "$1"`) });
  expect(edited.code, edited.stderr).toBe(0);
  const { code, stdout } = await flower([], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  expect([...new Set(server.requests.slice(before).map(({ role }) => role))]).toEqual(["worker", "judge"]);
  const status = await flower(["status"], { cwd: folder });
  expect(status.stdout).toMatch(/✓ greeting\.txt says Hello loudly\n {6}.*greeting\.txt: Hello, world/);
});

test("a brief edited with the command while a run is at work amends the goal before the work is judged, and is no news afterwards", async () => {
  let release = () => {};
  let reach = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const job = smallJob();
  const server = await serveModel(async (view) => {
    if (view.role === "worker") {
      reach();
      await held;
    }
    return job(view);
  });
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const run = await startFlower([REQUEST, "--timeout", "300"], options);
  await reached;
  const before = server.requests.length;
  const env = await editor(`sed -i 's/One file/Two files/' "$1"`);
  expect((await flower(["brief", "--edit"], { cwd: folder, env })).code).toBe(0);
  release();
  expect((await run.ended).code).toBe(0);
  const later = server.requests.slice(before);
  expect(later.filter(({ role }) => role !== "worker")[0]).toMatchObject({
    role: "goal-setter",
    prompt: expect.stringContaining("+ Two files."),
  });
  const books = new Books(folder);
  const codes = (await books.payloads("task")).flatMap((task) => (task.type === "notice" ? [task.code] : []));
  expect(codes).not.toContain("brief-changed-during-work");
  const until = server.requests.length;
  expect((await flower([], options)).code).toBe(0);
  expect(server.requests).toHaveLength(until);
});

test("while a run is at work an edited brief is told to it, and of an edited goal it is said when it counts", async () => {
  const gate = new Gate().close();
  const job = smallJob();
  const server = await serveModel((view) => gate.hold(view, "worker") ?? job(view));
  const folder = await newFolder();
  const run = await startFlower([REQUEST, "--timeout", "300"], { cwd: folder, env: server.env() });
  await gate.reached;
  const goal = await flower(["goal", "--edit"], { cwd: folder, env: await editor(`sed -i 's/says Hello/says Hello loudly/' "$1"`) });
  expect(goal.code, goal.stderr).toBe(0);
  expect(goal.stdout).toContain("until its round ends, the goal counts as it was");
  const brief = await flower(["brief", "--edit"], { cwd: folder, env: await editor(`sed -i 's/One file/Two files/' "$1"`) });
  expect(brief.code, brief.stderr).toBe(0);
  expect(brief.stdout).toContain("has been told (m1)");
  await run.kill();
  const text = await new Books(folder).note("brief.md");
  expect(text).toContain("Two files.");
  expect(text).toContain("> + Two files.");
});
