import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { Gate } from "./gate.ts";
import { serveModel } from "./model-server.ts";
import { askFirst, bash, REQUEST, smallJob } from "./small-job.ts";

describe("wrong usage ends with exit code 2, a reason, and no file made", () => {
  test.each([
    [["--rounds", "0", "x"], /first round of work counts/],
    [["--rounds", "1.5", "x"], /whole|1 or more/],
    [["--asks", "-2", "x"], /-1 for any number/],
    [["--budget", "0", "x"], /more than 0/],
    [["--lang", "tlh", "x"], /en, zh, pt/],
    [["--frobnicate", "x"], /unknown option '--frobnicate'/],
    [["once"], /missing required argument/],
    [["statsu"], /Did you mean: flower status\?.*flower go statsu/],
    [["anwser", "q1", "2"], /Did you mean: flower answer\?/],
  ])("%j", async (args, reason) => {
    const folder = await newFolder();
    const { code, stdout, stderr } = await flower(args, { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(await readdir(folder)).toEqual([]);
  });
});

test("without a request, in a folder where nothing was begun, it says that there is nothing to go on with", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const { code, stderr } = await flower([], { cwd: folder, env: server.env() });
  expect(code).toBe(2);
  expect(await readdir(folder)).toEqual([]);
  expect(stderr).toContain("There is nothing to go on with here.");
  expect(server.requests).toEqual([]);
});

test("--no-goal runs without goal and judge", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST, "--no-goal"], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  expect(await new Books(folder).labels()).toEqual(["clarify", "work"]);
});

test("--clarify-only stops with the brief, and the same words without it go on from there", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  expect((await flower([REQUEST, "--clarify-only"], options)).code).toBe(0);
  const books = new Books(folder);
  expect(await books.labels()).toEqual(["clarify"]);
  expect((await flower([REQUEST], options)).code).toBe(0);
  expect(await books.labels()).toEqual(["clarify", "goal", "work", "work·judge#1"]);
});

test("--asks 0 refuses a question at once, tells the model so, and the run goes on", async () => {
  const server = await serveModel(smallJob({ clarifier: askFirst }));
  const folder = await newFolder();
  const { code } = await flower([REQUEST, "--asks", "0", "--timeout", "60", "--clarify-only"], { cwd: folder, env: server.env() });
  expect(code).toBe(0);
  expect(await new Books(folder).payloads("ask")).toMatchObject([{ state: "over_budget", answer: "" }]);
  expect(server.requests[1]?.results).toEqual([expect.stringContaining("The quota of questions is used up.")]);
});

test("with nobody at a terminal a question is not waited for: without --timeout that is said, once; with --timeout 0 it was chosen", async () => {
  const server = await serveModel(smallJob({ clarifier: askFirst }));
  for (const [args, said] of [[[], 1] as const, [["--timeout", "0"], 0] as const]) {
    const folder = await newFolder();
    const { code, stderr } = await flower([REQUEST, "--clarify-only", ...args], { cwd: folder, env: server.env() });
    expect(code).toBe(0);
    expect(stderr.split("Nobody is at a terminal").length - 1).toBe(said);
    expect(await new Books(folder).payloads("ask")).toMatchObject([{ state: "timeout", answer: "" }]);
  }
});

test("once runs one agent, and its books name it", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const { code, stdout } = await flower(["once", "Write the greeting."], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  const books = new Books(folder);
  expect(await books.read("greeting.txt")).toBe("Hello, world\n");
  expect(await books.labels()).toEqual(["once"]);
  expect(await books.end()).toMatchObject({ outcome: "achieved", exitCode: 0 });
});

test("once has the tools that are named, and no others", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  await flower(["once", "Look.", "-t", "Read,Grep"], options);
  expect(server.requests[0]?.tools.toSorted()).toEqual(["Grep", "Read", "handoff_document", "mcp__human__ask", "mcp__human__inbox"]);
  const { code, stderr } = await flower(["once", "Look.", "-t", "Reed"], options);
  expect(code).toBe(2);
  expect(stderr).toMatch(/no built-in tool "Reed".*Read/);
});

test.each(["before", "after"])("-w and -r mean the same %s the command", async (where) => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  await mkdir(join(folder, "place"));
  const places = ["-w", "place", "-r", "books"];
  const command = ["once", "Write the greeting."];
  const args = where === "before" ? [...places, ...command] : [...command, ...places];
  const { code, stdout } = await flower(args, { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  expect(await readdir(folder)).toEqual(["place"]);
  const books = new Books(join(folder, "place"), "books");
  expect(await books.read("greeting.txt")).toBe("Hello, world\n");
  expect(await books.labels()).toEqual(["once"]);
});

test("a second run in the same folder is refused and told who holds it, and leaves the first one alone", async () => {
  const gate = new Gate().close();
  const job = smallJob();
  const server = await serveModel((view) => gate.hold(view, "worker") ?? job(view));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await startFlower([REQUEST], options);
  await gate.reached;
  const books = new Books(folder);
  const run = await books.lastRun();
  const requests = server.requests.length;
  const second = await flower(["Something else."], options);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`process ${first.pid}, run ${run}`);
  expect(server.requests).toHaveLength(requests);
  expect(await books.runs()).toEqual([run]);
  expect(await books.note("brief.md")).not.toContain("Something else.");
  await first.kill();
});

test("of two starts at the same moment exactly one runs", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await serveModel(async (view) => {
    await released; // else one could be done before the other has begun
    return smallJob()(view);
  });
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const starts = [flower([REQUEST], options), flower([REQUEST], options)];
  await Promise.race(starts).then(release);
  const both = await Promise.all(starts);
  expect(both.map((ended) => ended.code).toSorted()).toEqual([0, 1]);
  expect(both.find((ended) => ended.code === 1)?.stderr).toContain("A run is under way in this folder already");
  await new Books(folder).expectWhole();
});

test("a job runs where the workspace is, not where the command was typed", async () => {
  const server = await serveModel(smallJob({ worker: (view) => (view.news.length > 0 ? { text: "Done." } : bash("pwd > where.txt")) }));
  const folder = await newFolder();
  await mkdir(join(folder, "deep", "place"), { recursive: true });
  await writeFile(join(folder, "deep", "place", "greeting.txt"), "Hello\n");
  const { code, stdout } = await flower([REQUEST, "-w", "deep/place"], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  expect(await new Books(join(folder, "deep", "place")).read("where.txt")).toBe(`${join(folder, "deep", "place")}\n`);
});
