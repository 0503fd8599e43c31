import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFlowerError } from "../../src/core/errors.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { acquireRunLock, readRunLock } from "../../src/workbench/run-lock.ts";
import { killHard, printed, startChild } from "./children.ts";
import { newFolder } from "./folder.ts";

const readLock = (folder: string) => JSON.parse(readFileSync(join(folder, "flow.lock"), "utf8"));
const writeLock = (folder: string, lock: object) => writeFileSync(join(folder, "flow.lock"), JSON.stringify(lock));

/** Waits for file work that a timer set off. */
const until = (isDone: () => boolean) => expect.poll(isDone).toBe(true);

test("a second run of the workflow is refused and told who holds it; another workflow, or another directory, is free", async () => {
  const folder = newFolder();
  const clock = new FakeClock();
  await using _lock = await acquireRunLock(folder, "flow", { runId: "r1", clock });
  const error = await acquireRunLock(folder, "flow", { runId: "r2", clock }).catch((thrown: unknown) => thrown);
  expect(isFlowerError(error, "run-busy")).toBe(true);
  expect(error).toMatchObject({ details: { workflow: "flow", pid: process.pid, runId: "r1", since: "2026-01-01T00:00:00.000Z" } });
  expect(await readRunLock(folder, "flow", clock)).toMatchObject({ runId: "r1" });
  await using _other = await acquireRunLock(folder, "确认/需求", { runId: "r2", clock });
  await using _elsewhere = await acquireRunLock(newFolder(), "flow", { runId: "r2", clock });
});

test("a released lock is free, leaves no file and no timer, and releasing twice does no harm", async () => {
  const folder = newFolder();
  const clock = new FakeClock();
  const lock = await acquireRunLock(folder, "flow", { runId: "r1", clock });
  await Promise.all([lock.release(), lock.release()]);
  expect(readdirSync(folder)).toEqual([]);
  expect(clock.timers).toBe(0);
  expect(await readRunLock(folder, "flow", clock)).toBeUndefined();
  const second = await acquireRunLock(folder, "flow", { runId: "r2", clock });
  await lock.release();
  expect(readLock(folder).runId).toBe("r2");
  await second.release();
});

test("of many that come at once exactly one gets it", async () => {
  const folder = newFolder();
  const tries = Array.from({ length: 8 }, (_, index) => acquireRunLock(folder, "flow", { runId: `r${index}` }));
  const results = await Promise.allSettled(tries);
  const locks = results.filter((result) => result.status === "fulfilled");
  expect(locks).toHaveLength(1);
  await locks[0]?.value.release();
});

test("a live process keeps others out, and a killed one's lock is taken over at once", async () => {
  const folder = newFolder();
  const child = startChild("hold-lock", folder);
  await printed(child, (text) => text.includes("held"));
  await expect(acquireRunLock(folder, "flow", { runId: "ours" })).rejects.toMatchObject({
    code: "run-busy",
    details: { pid: child.pid, runId: "theirs" },
  });
  await killHard(child);
  const lock = await acquireRunLock(folder, "flow", { runId: "ours" });
  expect(readLock(folder).runId).toBe("ours");
  await lock.release();
});

describe("a lock whose holder cannot be seen", () => {
  const foreign = { pid: 1, runId: "far", since: "2026-01-01T00:00:00.000Z", host: "another-machine", token: "t" };

  test("holds while its heartbeat is fresh, and is taken over when that is stale", async () => {
    const folder = newFolder();
    const clock = new FakeClock(Date.now());
    writeLock(folder, foreign);
    await expect(acquireRunLock(folder, "flow", { runId: "ours", clock })).rejects.toMatchObject({ code: "run-busy" });
    await clock.advance(31_000);
    const lock = await acquireRunLock(folder, "flow", { runId: "ours", clock });
    await lock.release();
  });

  test.runIf(process.platform === "linux")("of a process id that another process has by now is free", async () => {
    const folder = newFolder();
    await (await acquireRunLock(folder, "flow", { runId: "r1" })).release();
    const lock = await acquireRunLock(folder, "flow", { runId: "r1" });
    writeLock(folder, { ...readLock(folder), started: "1", runId: "r0" });
    const second = await acquireRunLock(folder, "flow", { runId: "r2" });
    expect(readLock(folder).runId).toBe("r2");
    await lock.release();
    expect(readLock(folder).runId).toBe("r2");
    await second.release();
  });

  test("that is no lock at all holds nobody", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "flow.lock"), "half");
    const lock = await acquireRunLock(folder, "flow", { runId: "ours" });
    await lock.release();
  });
});

test("the heartbeat keeps a lock fresh, and a run that lost its lock is told", async () => {
  const folder = newFolder();
  const clock = new FakeClock(Date.now());
  const lock = await acquireRunLock(folder, "flow", { runId: "r1", clock });
  utimesSync(join(folder, "flow.lock"), 0, 0);
  await clock.advance(5_000);
  await until(() => clock.timers === 1);
  expect(lock.signal.aborted).toBe(false);
  writeLock(folder, { ...readLock(folder), token: "other" });
  await clock.advance(5_000);
  await until(() => lock.signal.aborted);
  expect(isFlowerError(lock.signal.reason, "lease-lost")).toBe(true);
  await lock.release();
  expect(readLock(folder).token).toBe("other");
});
