import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { Gate } from "./gate.ts";
import { type ModelScript, type Role, serveModel } from "./model-server.ts";
import { neverSatisfied, REQUEST, smallJob, write } from "./small-job.ts";

const AMENDMENT = "It must say Goodbye too, in a second file farewell.txt.";

async function finishedJob(script: ModelScript = smallJob()) {
  const server = await serveModel(script);
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  return { server, folder, options, books: new Books(folder), before: server.requests.length };
}

test.each([
  ["the same words", [REQUEST]],
  ["no words", []],
])("%s after a finished run ask the model nothing and say that it was finished", async (_words, args) => {
  const { server, options, books, before } = await finishedJob();
  const { code, stdout } = await flower(args, options);
  expect(code).toBe(0);
  expect(server.requests.slice(before)).toEqual([]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("This was finished already.");
  expect(await books.payloads("task")).toContainEqual({ type: "notice", code: "already-done" });
  expect((await books.payloads("step")).map((step) => step.skipped)).toEqual([true, true, true]);
});

test("without its books a folder goes on by its brief, in the brief's language: the work is done and judged", async () => {
  const { server, folder, options, before } = await finishedJob();
  await rm(join(folder, "runs"), { recursive: true });
  const { code, stdout } = await flower([], { ...options, env: { ...options.env, FLOWER_LANG: "pt" } });
  expect(code, stdout).toBe(0);
  expect(stdout).toContain("Going on with the brief that is here: .flower/notes/brief.md.");
  expect([...new Set(server.requests.slice(before).map((view) => view.role))]).toEqual(["worker", "judge"]);
});

test("other words amend: brief, goal and work get them, in the sessions that there are, and the outcome is of the new work", async () => {
  const worker = smallJob();
  const { server, options, books, before } = await finishedJob(
    smallJob({
      worker: (view) => (view.news.length === 0 && view.prompt.includes("Goodbye") ? write("farewell.txt", "Goodbye\n") : worker(view)),
    }),
  );
  const workSession = (await books.lineage()).steps["work"]?.sessionId;
  const { code, stdout } = await flower([AMENDMENT], options);
  expect(code, stdout).toBe(0);

  expect(await books.note("brief.md")).toMatch(new RegExp(`# Said during the run[\\s\\S]*${AMENDMENT}`));
  const later = server.requests.slice(before);
  expect([...new Set(later.map((view) => view.role))]).toEqual(["goal-setter", "worker", "judge"]);
  expect(later[0]?.prompt).toContain(AMENDMENT);
  const firstOfWork = later.find((view) => view.role === "worker");
  expect(firstOfWork?.prompt).toContain(AMENDMENT);
  expect(firstOfWork?.replies).toBeGreaterThan(0);
  expect(await books.read("farewell.txt")).toBe("Goodbye\n");

  const lineage = await books.lineage();
  expect(lineage.steps["work"]?.sessionId).toBe(workSession);
  expect(lineage).toMatchObject({ request: REQUEST, amendments: [AMENDMENT], outcome: "achieved" });
  await books.expectWhole();
});

test.each<Role>(["goal-setter", "worker", "judge"])("an amendment is not forgotten when the %s is killed over it", async (role) => {
  const gate = new Gate();
  const job = smallJob();
  const { server, options, books } = await finishedJob((view) => gate.hold(view, role) ?? job(view));
  gate.close();
  const amending = await startFlower([AMENDMENT], options);
  await gate.reached;
  await amending.kill();
  gate.open();
  const before = server.requests.length;
  const { code, stdout } = await flower([AMENDMENT], options);
  expect(code, stdout).toBe(0);
  const later = server.requests.slice(before);
  expect(later.filter((view) => view.role === "worker").map((view) => view.texts.join("\n"))[0]).toContain(AMENDMENT);
  expect(later.at(-1)?.role).toBe("judge");
  expect((await books.note("brief.md")).split(AMENDMENT)).toHaveLength(2);
  expect(await books.end()).toMatchObject({ outcome: "achieved" });
});

test("an amendment that the work does not reach fails, though the first job was finished", async () => {
  let amended = false;
  const judge = smallJob();
  const { options, books } = await finishedJob(smallJob({ judge: (view) => (amended ? neverSatisfied(view) : judge(view)) }));
  amended = true;
  const { code } = await flower([AMENDMENT, "--rounds", "1"], options);
  expect(code).toBe(1);
  expect(await books.end()).toMatchObject({ outcome: "failed", failedAt: "work" });
});

test("after a failed run the same words go on in the same session, with what the judge found missing", async () => {
  let satisfied = false;
  const judge = smallJob();
  const server = await serveModel(smallJob({ judge: (view) => (satisfied ? judge(view) : neverSatisfied(view)) }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  expect((await flower([REQUEST, "--rounds", "1"], options)).code).toBe(1);
  const before = server.requests.length;
  satisfied = true;
  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  const first = server.requests[before];
  expect(first).toMatchObject({ role: "worker", prompt: expect.stringContaining("The greeting lacks warmth.") });
  expect(first?.replies).toBeGreaterThan(0);
});

test("a run that its budget stopped goes on, where it was, with a new budget", async () => {
  const job = smallJob();
  const server = await serveModel(async (view) => ({ ...(await job(view)), usage: { inputTokens: 10_000, outputTokens: 10 } }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  expect((await flower([REQUEST, "--budget", "0.2"], options)).code).toBe(4);
  const before = server.requests.length;
  expect(before).toBeGreaterThan(1);
  const { code, stdout } = await flower([REQUEST, "--budget", "1"], options);
  expect(code, stdout).toBe(0);
  expect(server.requests[before]?.role).toBe(server.requests[before - 1]?.role);
  expect(server.requests[before]?.replies).toBeGreaterThan(0);
});

test("--new archives what there was and starts afresh", async () => {
  const { server, options, books, before } = await finishedJob();
  const old = await books.note("brief.md");
  const { code, stdout } = await flower([REQUEST, "--new"], options);
  expect(code, stdout).toBe(0);
  expect(server.requests.slice(before).map((view) => view.role)).toContain("clarifier");
  expect((await books.lineage()).runs).toEqual([await books.lastRun()]);
  const [archived, ...more] = await readdir(join(books.folder, ".flower", "notes", "archive"));
  expect(more).toEqual([]);
  expect(await books.note(join("archive", archived ?? "", "brief.md"))).toBe(old);
  expect(await books.note(join("archive", archived ?? "", "lineage.json"))).toContain(REQUEST);
});
