import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closedAddress } from "../engines/server.ts";
import { isRunning } from "../is-running.ts";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { pidIn } from "./processes.ts";
import { bash, REQUEST, smallJob } from "./small-job.ts";

test("without a key and without a terminal three lines say what helps, and no file is made", async () => {
  const folder = await newFolder();
  const { code, stdout, stderr } = await flower([REQUEST], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY/),
    expect.stringMatching(/OLLAMA_BASE_URL=/),
    expect.stringMatching(/flower demo/),
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("a wrong key is said after one request, not tried again", async () => {
  const server = await serveModel(() => ({ status: 401, message: "Incorrect API key provided: key-0123456789." }));
  const folder = await newFolder();
  const { code, stdout, stderr } = await flower([REQUEST], { cwd: folder, env: server.env() });
  expect(code).toBe(1);
  expect(server.requests).toHaveLength(1);
  expect(stdout).toContain("OpenAI refused the key (401). Check OPENAI_API_KEY.");
  expect(stdout + stderr + (await new Books(folder).log())).not.toContain("key-0123456789");
});

test("a model that cannot be reached is waited for, then the run parks; the next start does the job", async () => {
  const folder = await newFolder();
  const waits = { FLOWER_PROBE_MS: "20", FLOWER_OFFLINE_LIMIT_MS: "200" };
  const env = { FLOWER_MODEL: "openai/gpt-4o", OPENAI_API_KEY: "key-0123456789", OPENAI_BASE_URL: await closedAddress(), ...waits };
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env });
  const books = new Books(folder);
  expect(code).toBe(3);
  expect((await books.payloads("retry")).map(({ attempt, reason }) => [attempt, reason])).toEqual([[1, "offline"]]);
  expect(await books.manifest()).toMatchObject([{ step: "clarify", ok: false, attempts: 1, errorKind: "parked" }]);
  expect(await books.end()).toMatchObject({ outcome: "parked", exitCode: 3, failedAt: "clarify" });
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/cannot be reached\. Waiting for the network/);
  const server = await serveModel(smallJob());
  expect((await flower([REQUEST], { cwd: folder, env: server.env() })).code).toBe(0);
});

test("with no wait for the network, a model that cannot be reached is tried six times, then the run says so and fails", async () => {
  const folder = await newFolder();
  const off = { FLOWER_OFFLINE_LIMIT_MS: "0" };
  const env = { FLOWER_MODEL: "openai/gpt-4o", OPENAI_API_KEY: "key-0123456789", OPENAI_BASE_URL: await closedAddress(), ...off };
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env });
  const books = new Books(folder);
  expect(code).toBe(1);
  expect((await books.payloads("retry")).map(({ attempt, reason }) => [attempt, reason])).toEqual(
    [2, 3, 4, 5, 6].map((attempt) => [attempt, "offline"]),
  );
  expect(await books.manifest()).toMatchObject([{ step: "clarify", ok: false, attempts: 6, errorKind: "offline" }]);
  expect(await books.end()).toMatchObject({
    outcome: "failed",
    failedAt: "clarify",
    reason: expect.stringMatching(/could not be reached.*6 attempts/),
  });
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/could not be reached .* Gave up after 6 attempts/);
});

test("a failure that passes costs an attempt and no work: the session goes on where it was", async () => {
  let failures = 1;
  const job = smallJob();
  const server = await serveModel(
    smallJob({
      worker: (view) =>
        view.replies === 1 && failures-- > 0 ? { status: 503, message: "overloaded" } : job({ ...view, news: view.results }),
    }),
  );
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  const books = new Books(folder);
  expect((await books.payloads("retry")).map(({ step, attempt, reason }) => [step, attempt, reason])).toEqual([["work", 2, "overloaded"]]);
  expect((await books.manifest()).find((row) => row.step === "work")).toMatchObject({ ok: true, attempts: 2 });
  expect(server.requests.filter((view) => view.role === "worker").map((view) => view.replies)).toEqual([0, 1, 1]);
});

test("a model that belongs to no provider is named, and no file is made", async () => {
  const folder = await newFolder();
  const { code, stdout, stderr } = await flower([REQUEST, "--model", "frobnicator-9"], { cwd: folder });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/frobnicator-9/);
  expect(await readdir(folder)).toEqual([]);
});

test("a workspace that does not exist is named", async () => {
  const folder = await newFolder();
  const server = await serveModel(smallJob());
  const { code, stderr } = await flower([REQUEST, "-w", "nowhere"], { cwd: folder, env: server.env() });
  expect(code).not.toBe(0);
  expect(stderr).toContain(join(folder, "nowhere"));
  expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
});

test("a reader that goes away does not end the run", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const running = await startFlower([REQUEST, "--json"], { cwd: folder, env: server.env() });
  running.child.stdout?.destroy();
  expect((await running.ended).code).toBe(0);
  expect(await new Books(folder).end()).toMatchObject({ outcome: "achieved" });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends the run with exit code 130, its commands, and whole books", async (signal) => {
  const server = await serveModel(smallJob({ worker: () => bash("echo $$ > sleeper.pid; sleep 300") }));
  const folder = await newFolder();
  const running = await startFlower([REQUEST], { cwd: folder, env: server.env() });
  const sleeper = await pidIn(join(folder, "sleeper.pid"));
  running.child.kill(signal);
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
  expect(isRunning(sleeper)).toBe(false);
  const books = new Books(folder);
  expect(await books.end()).toMatchObject({ outcome: "interrupted", exitCode: 130, failedAt: "work" });
  expect((await books.lineage()).outcome).toBe("interrupted");
  expect((await books.manifest()).at(-1)).toMatchObject({ step: "work", ok: false, error: "killed-by-signal", errorKind: "aborted" });
  await books.expectWhole();
});
