import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { newFolder } from "../folder.ts";
import { openBench, worker } from "./bench.ts";

test("a run's files lie where the books say, kept out of the user's repository", async () => {
  const bench = openBench(["done"]);
  const { runtime, folder } = bench;
  await bench.finish(runtime.run(worker(), "go"));
  await bench.log();
  expect(runtime.runDir).toBe(join(folder, "runs"));
  const names = await readdir(runtime.runDir);
  expect(names).toEqual(expect.arrayContaining([".gitignore", ".ignore", "manifest.json", "sessions.db", runtime.runId]));
  expect(await readdir(join(runtime.runDir, runtime.runId))).toEqual(["events.jsonl"]);
  expect(await readFile(join(runtime.runDir, ".gitignore"), "utf8")).toBe("*\n");
  expect((await stat(join(runtime.runDir, "sessions.db"))).mode & 0o777).toBe(0o600);
  expect((await stat(runtime.books.eventsPath)).mode & 0o077).toBe(0);
});

test("a relative run folder is taken from the workspace, an absolute one as it is", () => {
  const elsewhere = newFolder();
  const { runtime, folder } = openBench([], { runDir: "books" });
  expect(runtime.runDir).toBe(join(folder, "books"));
  expect(openBench([], { runDir: elsewhere }).runtime.runDir).toBe(elsewhere);
});

test("a Runtime that runs nothing writes nothing", async () => {
  const { runtime } = openBench([]);
  await runtime.close();
  expect(existsSync(runtime.runDir)).toBe(false);
});

test("a result has everything that was asked of it", async () => {
  const bench = openBench([
    { ...steps(1), usage: { inputTokens: 100, costUsd: 0.01 } },
    { text: "done", usage: { inputTokens: 40, cacheReadTokens: 100, costUsd: 0.02 } },
  ]);
  const result = await bench.finish(bench.runtime.run(worker({ tools: [stepTool([])] }), "go", { stepName: "work" }));
  expect(result).toMatchObject({
    step: "work",
    ok: true,
    text: "done",
    error: "",
    numIterations: 2,
    usage: { inputTokens: 140, cacheReadTokens: 100 },
    attempts: 1,
    errors: [],
    resumed: false,
    retired: [],
    context: 140,
    startedAt: expect.stringMatching(/^2026-01-01T00:\d\d:\d\d\.000Z$/),
  });
  expect(result.costUsd).toBeCloseTo(0.03);
  expect(Object.isFrozen(result)).toBe(true);
});

test("a session that exists is resumed; one that does not, or is empty, begins afresh", async () => {
  const bench = openBench(["one", "two", "three"]);
  const run = (resume?: string) => bench.finish(bench.runtime.run(worker(), "go", { resume }));
  const first = await run();
  expect(await bench.runtime.hasSession(first.sessionId)).toBe(true);
  const second = await run(first.sessionId);
  expect(second).toMatchObject({ sessionId: first.sessionId, resumed: true });
  expect(bench.engine.requests[1]?.messages).toHaveLength(3);
  const third = await run("gone");
  expect(third.resumed).toBe(false);
  expect(third.sessionId).not.toBe("gone");
  expect(bench.engine.requests[2]?.messages).toHaveLength(1);
});

test("a fork that fails once is retried in the copy", async () => {
  const bench = openBench(["one", new FlowerError("offline", "no"), "in the copy"]);
  const first = await bench.finish(bench.runtime.run(worker(), "go"));
  const fork = await bench.finish(bench.runtime.run(worker(), "and?", { fork: { from: first.sessionId } }));
  expect(fork).toMatchObject({ ok: true, text: "in the copy", attempts: 2 });
  expect(bench.engine.requests[2]?.messages).toHaveLength(3);
  expect(fork.sessionId).not.toBe(first.sessionId);
});

test("a step's time limit stops it, and the result says that it was time", async () => {
  const bench = openBench([steps(1)]);
  const agent = worker({ tools: [stepTool([], new Set([1]))], limits: { timeoutMs: 10_000 } });
  const result = await bench.finish(bench.runtime.run(agent, "go"));
  expect(result).toMatchObject({ ok: false, errorKind: "step-timeout", durationMs: 10_000 });
});

test("no engine is a result that says so, not a crash", async () => {
  const { runtime } = openBench([], { engine: undefined });
  const agent = worker({ model: "nosuchprovider/x" });
  const result = await runtime.run(agent, "go");
  expect(result).toMatchObject({ ok: false, attempts: 1 });
  expect(result.error).toMatch(/nosuchprovider/);
});
