import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { isRunning } from "../is-running.ts";
import { Books } from "./books.ts";
import { type CliOptions, flower, newFolder, type Running, startFlower } from "./cli.ts";
import { Gate } from "./gate.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { askFirst, isAccepted, REQUEST, smallJob, write } from "./small-job.ts";

const PATIENCE = { timeout: 60_000, interval: 30 };
const ATTENDED = ["--timeout", "300"];
const job = smallJob();

interface Scene {
  readonly books: Books;
  readonly options: CliOptions;
  readonly run: Running;
  readonly requests: Awaited<ReturnType<typeof serveModel>>["requests"];
}

/** A run under way in a folder of its own. */
async function begin(script: ModelScript, args: readonly string[] = [REQUEST, ...ATTENDED]): Promise<Scene> {
  const server = await serveModel(script);
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  return { books: new Books(folder), options, run: await startFlower(args, options), requests: server.requests };
}

/** A run whose clarifier waits for the answer to q1. */
async function beginAsking(): Promise<Scene> {
  const job = smallJob({ clarifier: askFirst });
  const scene = await begin((view) => (view.prompt.includes("How far is it?") ? { text: "It waits for you." } : job(view)));
  await vi.waitFor(async () => expect(await scene.books.payloads("ask")).toHaveLength(1), PATIENCE);
  await reachable(scene);
  return scene;
}

async function reachable({ books }: Scene): Promise<Record<string, unknown>> {
  return vi.waitFor(async () => JSON.parse(await books.read("runs", await books.lastRun(), "control.json")), PATIENCE);
}

describe("from another terminal", () => {
  test("a question is seen and answered, the agent spoken to, and the run ends as ever", async () => {
    const scene = await beginAsking();
    const { books, options, run, requests } = scene;
    const control = await reachable(scene);
    expect(statSync(join(books.runDir, String(control["run"]), "control.json")).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(String(control["socket"]))).mode & 0o777).toBe(0o700);

    const status = await flower(["status"], options);
    expect(status.stdout).toContain("running");
    expect(status.stdout).toContain("Step 1/3: clarify");
    expect(status.stdout).toContain("q1 waits for you: Which greeting?");
    expect(status.stdout).toContain("flower answer q1 1");
    const state = JSON.parse((await flower(["--json", "status"], options)).stdout);
    expect(state).toMatchObject({ state: "running", asks: [{ id: "q1", options: ["Hello", "Good day"] }], activity: "question" });

    const side = await flower(["oracle", "How", "far", "is", "it?"], options);
    expect(side).toMatchObject({ code: 0, stdout: "It waits for you.\n" });
    expect((await flower(["say", "Be", "kind."], options)).stdout).toMatch(/^m1 is queued and saved to .*brief\.md/);
    expect(JSON.parse((await flower(["say", "--json", "Be quick."], options)).stdout)).toMatchObject({ id: "m2", state: "queued" });
    expect(await flower(["answer", "q9", "x"], options)).toMatchObject({ code: 1, stderr: "There is no question q9. Waiting: q1.\n" });
    expect(await flower(["answer", "q1", "2"], options)).toMatchObject({ code: 0, stdout: "q1 is answered: Good day\n" });
    expect(await flower(["answer", "q1", "1"], options)).toMatchObject({ code: 1, stderr: expect.stringContaining("waits no longer") });

    expect((await run.ended).code).toBe(0);
    expect(requests.flatMap((view) => view.results).join("\n")).toContain("Good day");
    expect(await books.note("brief.md")).toContain("> Be kind.");
    expect(existsSync(String(control["socket"]))).toBe(false);
    expect(existsSync(dirname(String(control["socket"])))).toBe(false);
    expect(existsSync(join(books.runDir, String(control["run"]), "control.json"))).toBe(false);
    const after = await flower(["status"], options);
    expect(after.stdout).toContain("achieved, exit code 0");
    expect(after.stdout).toContain("Last verdict (round 1): achieved");
    await books.expectWhole();
  });

  test("of two processes that answer at once exactly one wins", async () => {
    const { books, options, run } = await beginAsking();
    const both = await Promise.all([flower(["answer", "q1", "one"], options), flower(["answer", "q1", "two"], options)]);
    expect(both.map((ended) => ended.code).toSorted()).toEqual([0, 1]);
    const winner = both[0]?.code === 0 ? "one" : "two";
    expect((await run.ended).code).toBe(0);
    expect(await books.payloads("ask")).toMatchObject([{ state: "asked" }, { id: "q1", state: "answered", answer: winner }]);
  });

  test("an interrupt stops the agent at its next boundary and gives it the words, in the same session", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const scene = await begin(
      smallJob({
        async worker(view) {
          if (view.replies === 0) await held;
          return view.replies === 0 ? write("greeting.txt", "Hello, world\n") : { text: "greeting.txt is written." };
        },
      }),
    );
    await vi.waitFor(() => expect(scene.requests.some((view) => view.role === "worker")).toBe(true), PATIENCE);
    await reachable(scene);
    const { code, stdout } = await flower(["interrupt", "Use", "a", "capital", "H."], scene.options);
    const saved = join(scene.options.cwd, ".flower", "notes", "brief.md");
    const receipt = `The run will stop at its next message and hear this. Your words stand in ${saved}.\n`;
    expect({ code, stdout }).toEqual({ code: 0, stdout: receipt });
    release();
    const ended = await scene.run.ended;
    expect(ended.code).toBe(0);
    for (const { stdout } of [ended, await flower(["log"], scene.options)]) expect(stdout).toMatch(/interrupt.*: Use a capital H\./);
    expect(scene.requests.some((view) => view.role === "worker" && view.prompt.includes("Use a capital H."))).toBe(true);
    expect(await scene.books.note("brief.md")).toContain("> Use a capital H.");
  });

  test("an abort ends the run in order; when the command returns, the folder is free and the next start goes on", async () => {
    const { books, options, run } = await beginAsking();
    const { code, stdout } = await flower(["abort", "lunch"], options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("has ended") });
    expect((await run.ended).code).toBe(130);
    expect(await books.end()).toMatchObject({ outcome: "interrupted", exitCode: 130, reason: expect.stringContaining("lunch") });
    const again = await flower([REQUEST, "--timeout", "0"], options);
    expect(again.code, again.stderr).toBe(0);
  });

  test("a second flower says that the folder is busy, and how to attach, speak and answer", async () => {
    const { options } = await beginAsking();
    const { code, stderr } = await flower([REQUEST], options);
    expect(code).toBe(1);
    for (const way of ["flower log --follow", "flower say", "flower answer", "flower abort", "-r"]) expect(stderr).toContain(way);
  });

  test("one agent that runs once is reached the same way", async () => {
    const gate = new Gate().close();
    const scene = await begin((view) => gate.hold(view, "worker") ?? job(view), ["once", "Write greeting.txt.", ...ATTENDED]);
    await gate.reached;
    await reachable(scene);
    expect((await flower(["status"], scene.options)).stdout).toContain("Step 1/1: once");
    expect((await flower(["abort"], scene.options)).code).toBe(0);
    expect((await scene.run.ended).code).toBe(130);
    expect(await flower(["say", "Too late."], scene.options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no start goes on"),
    });
  });
});

describe("with no process alive", () => {
  test("after kill -9 an answer and mail are kept, and the next start finds both", async () => {
    const scene = await beginAsking();
    const { books, options, run, requests } = scene;
    const control = await reachable(scene);
    await run.kill();
    expect(existsSync(String(control["socket"]))).toBe(true); // what a kill leaves must mislead nobody
    const status = await flower(["status"], options);
    expect(status.stdout).toContain("its process is gone");
    expect(status.stdout).toContain("q1 waits for you: Which greeting?");
    expect(await flower(["answer", "q1", "1"], options)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^q1 is answered: Hello\. No run/),
    });
    expect(await flower(["answer", "q1", "2"], options)).toMatchObject({ code: 1 });
    expect(await flower(["say", "Be kind."], options)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^m1 is saved\. No run/) });
    expect((await flower(["status"], options)).stdout).not.toContain("q1 waits");

    const again = await flower([REQUEST, ...ATTENDED], options);
    expect(again.code, again.stderr).toBe(0);
    const asks = await books.payloads("ask");
    expect(asks.filter((ask) => ask.kind === "question")).toMatchObject([{ id: "q1", state: "answered", answer: "Hello" }]);
    expect(asks.filter((ask) => ask.kind === "mail").map((ask) => ask.state)).toEqual(["queued", "delivered"]);
    expect(requests.flatMap((view) => view.results).join("\n")).toContain("Hello");
    expect(await books.note("brief.md")).toContain("> Be kind.");
    await books.expectWhole();
  });

  test("interrupt and abort say that nothing is alive", async () => {
    const empty = { cwd: await newFolder() };
    for (const command of [["status"], ["log"], ["abort"], ["interrupt"], ["say", "x"], ["answer", "q1", "x"]])
      expect(await flower(command, empty)).toMatchObject({ code: 1, stdout: "", stderr: "Nothing has run in this folder yet.\n" });
    const { options, run } = await begin(job);
    expect((await run.ended).code).toBe(0);
    for (const command of ["abort", "interrupt"])
      expect(await flower([command], options)).toMatchObject({ code: 1, stderr: expect.stringContaining("No run is alive here") });
  });

  test("an option that a command does not have is refused, wherever it stands", async () => {
    const options = { cwd: await newFolder() };
    for (const args of [
      ["--rounds", "2", "status"],
      ["status", "--rounds", "2"],
      ["--budget", "1", "abort"],
    ])
      expect((await flower(args, options)).code, args.join(" ")).toBe(2);
  });
});

describe("the log", () => {
  test("it is printed byte for byte, whole, while the run goes on and afterwards, over the whole chain", async () => {
    const scene = await beginAsking();
    const { books, options, run } = scene;
    const following = flower(["log", "--follow", "--json"], options);
    const shown = flower(["log", "--follow"], options);
    await flower(["answer", "q1", "1"], options);
    expect((await run.ended).code).toBe(0);
    const first = await books.lastRun();
    expect(await following).toMatchObject({ code: 0, stdout: await books.log(first), stderr: "" });
    expect((await shown).stdout).toContain("Which greeting?");
    expect((await shown).stdout).toContain("achieved");

    expect((await flower(["Also say goodbye.", "--timeout", "0"], options)).code).toBe(0);
    const second = await books.lastRun();
    const chain = (await books.log(first)) + (await books.log(second));
    expect((await flower(["log", "--json"], options)).stdout).toBe(chain);
    expect((await flower(["--json", "log", "-f"], options)).stdout).toBe(chain);
  });

  test("following ends when the run's process is killed", async () => {
    const { books, options, run } = await beginAsking();
    const following = flower(["log", "--follow", "--json"], options);
    await run.kill();
    expect(isRunning(run.pid)).toBe(false);
    expect(await following).toMatchObject({ code: 0, stdout: await books.log() });
  });
});

test("a run whose socket cannot be opened says so and goes on, and finds what is left in its store", async () => {
  const server = await serveModel(smallJob({ clarifier: (view) => (isAccepted(view) ? { text: "ok" } : askFirst(view)) }));
  const folder = await newFolder();
  const options = { cwd: folder, env: { ...server.env(), TMPDIR: join(folder, "not-there") } };
  const run = await startFlower([REQUEST, ...ATTENDED], options);
  const books = new Books(folder);
  await vi.waitFor(async () => expect(await books.payloads("ask")).toHaveLength(1), PATIENCE);
  await vi.waitFor(async () => expect(await books.payloads("task")).toContainEqual({ type: "notice", code: "no-control" }), PATIENCE);
  expect(await flower(["abort"], options)).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") });
  expect((await flower(["answer", "q1", "1"], options)).code).toBe(0);
  expect((await run.ended).code).toBe(0);
  expect(await readFile(join(folder, "greeting.txt"), "utf8")).toContain("Hello");
});
