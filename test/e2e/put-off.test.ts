import { expect, test, vi } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { askFirst, bash, REQUEST, smallJob } from "./small-job.ts";

test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
  "%s while a question waits: the run ends in order, and the next start asks it under its number",
  async (signal) => {
    const server = await serveModel(smallJob({ clarifier: askFirst }));
    const folder = await newFolder();
    const options = { cwd: folder, env: server.env() };
    const first = await startFlower([REQUEST, "--timeout", "300"], options);
    const books = new Books(folder);
    await vi.waitFor(async () => expect(await books.payloads("ask")).toHaveLength(1), { timeout: 60_000 });
    first.child.kill(signal);
    expect((await first.ended).code).toBe(130);
    expect(await books.end()).toMatchObject({ outcome: "interrupted" });
    const { code, stdout } = await flower([REQUEST, "--timeout", "0"], options);
    expect(code, stdout).toBe(0);
    expect((await books.payloads("ask")).map(({ id, state }) => [id, state])).toEqual([["q1", "timeout"]]);
    await books.expectWhole();
  },
);

/** Wants to publish first; told no, it does the rest. */
const publisher: ModelScript = (view) => {
  const told = view.results.join();
  if (told === "") return bash("echo Hello > greeting.txt && git push origin main");
  return told.includes("exit code") || told.includes("no output") || view.results.length > 1
    ? { text: "Done." }
    : bash("echo Hello > greeting.txt");
};

test("--park: a decision that nobody makes ends the run with exit code 3; the next start without it goes on alone", async () => {
  const server = await serveModel(smallJob({ worker: publisher }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const first = await flower([REQUEST, "--timeout", "0", "--park"], options);
  expect(first.code, first.stdout).toBe(3);
  expect(first.stdout).toContain("Waiting for your answer to q1");
  const books = new Books(folder);
  expect(await books.end()).toMatchObject({ outcome: "parked", exitCode: 3, failedAt: "work" });
  const before = server.requests.length;
  expect((await flower([REQUEST, "--timeout", "0", "--park"], options)).code).toBe(3);
  expect(server.requests).toHaveLength(before); // waiting costs nothing
  const { code, stdout } = await flower([REQUEST, "--timeout", "0"], options);
  expect(code, stdout).toBe(0);
  expect((await books.payloads("ask")).map(({ id, state }) => [id, state])).toEqual([["q1", "timeout"]]);
  await books.expectWhole();
});
