import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { INTERRUPTED_RESULT } from "../../src/messages/history.ts";
import type { ResultPart } from "../../src/messages/message.ts";
import { isRunning } from "../is-running.ts";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { Gate } from "./gate.ts";
import { type Role, serveModel, type View } from "./model-server.ts";
import { gone, pidIn } from "./processes.ts";
import { askFirst, REQUEST, sleepyWorker, smallJob } from "./small-job.ts";

const job = smallJob();

test("a kill during a command loses no finished iteration, ends the command, and the same words finish the job", async () => {
  const server = await serveModel(smallJob({ worker: sleepyWorker }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await startFlower([REQUEST], options);
  const sleeper = await pidIn(join(folder, "sleeper.pid"));
  await first.kill();
  expect(isRunning(sleeper)).toBe(true);
  const books = new Books(folder);
  const killed = await books.lastRun();
  const before = server.requests.length;

  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  await gone(sleeper);
  expect(await books.payloads("task")).toContainEqual({ type: "notice", code: "ended-processes" });
  expect(workerReplies(server.requests.slice(0, before))).toEqual([0, 1]);
  expect(workerReplies(server.requests.slice(before))).toEqual([2]);

  const work = (await books.sessions()).find((session) => session.history.some((message) => message.agent === "worker"));
  const results = work?.history.flatMap((message) => message.parts).filter((part): part is ResultPart => part.type === "result");
  expect(results?.map((result) => result.content)).toEqual([
    [{ type: "text", text: expect.stringContaining("greeting.txt") }],
    [{ type: "text", text: INTERRUPTED_RESULT }],
  ]);
  const rows = await books.manifest();
  expect(rows.filter((row) => row.continues === killed).map((row) => row.step)).toEqual(["work", "work·judge#1"]);
  expect(rows.filter((row) => row.continues === undefined).every((row) => row.run === killed)).toBe(true);
  await books.expectWhole();
});

const ROLES: readonly Role[] = ["clarifier", "goal-setter", "worker", "judge"];

test.each(ROLES)("after a kill while the model answers as the %s the same words finish the job", async (role) => {
  const gate = new Gate().close();
  const server = await serveModel((view) => gate.hold(view, role) ?? job(view));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await startFlower([REQUEST], options);
  await gate.reached;
  await first.kill();
  gate.open();
  const before = server.requests.length;
  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  const done = ROLES.slice(0, Math.min(ROLES.indexOf(role), 2));
  expect(server.requests.slice(before).filter((view) => done.includes(view.role))).toEqual([]);
  await new Books(folder).expectWhole();
});

test("words at an interrupt that a kill kept from the model are the first thing that the next start tells it", async () => {
  const gate = new Gate().close();
  const server = await serveModel((view) => (view.replies === 1 && gate.hold(view, "worker")) || job(view));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await startFlower([REQUEST], options);
  await gate.reached;
  expect((await flower(["interrupt", "Do not touch", "the Makefile."], options)).code).toBe(0);
  await first.kill();
  gate.open();
  const before = server.requests.length;
  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  const told = server.requests.slice(before).filter((view) => view.role === "worker");
  expect(told[0]?.prompt).toContain("\nDo not touch the Makefile.");
  expect(JSON.stringify(await new Books(folder).lineage())).not.toContain("Makefile");
});

test("a question that waits at a kill is asked again with its number, and asked once in the record", async () => {
  const server = await serveModel(smallJob({ clarifier: askFirst }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await startFlower([REQUEST, "--timeout", "300"], options);
  const books = new Books(folder);
  await vi.waitFor(async () => expect(await books.payloads("ask")).toHaveLength(1), { timeout: 60_000 });
  await first.kill();
  const { code, stdout } = await flower([REQUEST, "--timeout", "0"], options);
  expect(code, stdout).toBe(0);
  expect((await books.payloads("ask")).map((ask) => ask.id)).toEqual(["q1"]);
  await books.expectWhole();
});

/** The numbers of the worker's replies that were asked for. */
function workerReplies(requests: readonly View[]): readonly number[] {
  return requests.filter((view) => view.role === "worker").map((view) => view.replies);
}
