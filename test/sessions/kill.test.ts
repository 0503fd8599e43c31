import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkHistory } from "../../src/messages/history.ts";
import type { FaultPoint } from "../../src/sessions/fault.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { turn } from "../../src/testing/session-store-fixture.ts";
import { startChild } from "./child.ts";
import { sqliteFixture, tempFolder } from "./fixtures.ts";
import { leftAfter, leftIn, play, SCRIPT } from "./script.ts";
import { SuspendedClock } from "./suspended-clock.ts";

const PARALLEL = 3;

describe("a process killed in the middle of a turn", () => {
  it("leaves exactly the last commit and the open turn, wherever it is killed", { timeout: 120_000 }, async () => {
    const points = await pointsOfScript();
    expect(points.length).toBeGreaterThan(35);
    const queue = points.map((_, index) => index);
    const worker = async () => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) await killAndLook(points, index);
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  });
});

/** The fault points that the script passes, in order. */
async function pointsOfScript(): Promise<readonly FaultPoint[]> {
  const points: FaultPoint[] = [];
  const fixture = sqliteFixture((point) => points.push(point));
  const lease = await fixture.store.open("s");
  for (const step of SCRIPT) await play(lease, step);
  expect(leftIn(lease)).toEqual(leftAfter(SCRIPT));
  await lease.release();
  await fixture.cleanup();
  return points;
}

async function killAndLook(points: readonly FaultPoint[], index: number): Promise<void> {
  const where = `killed at ${index} (${points[index]})`;
  const { folder, remove } = tempFolder();
  const path = join(folder, "chat.db");
  const point = points[index]!;
  const nth = points.slice(0, index + 1).filter((reached) => reached === point).length;
  const [, signal] = await startChild("scripted", path, point, String(nth)).exit;
  expect(signal, where).toBe("SIGKILL");

  const clock = new SuspendedClock(Date.now());
  clock.skip(3_600_000);
  const store = new SqliteSessionStore(path, { clock });
  const lease = await store.open("s", { onBusy: "reject" });
  const done = points.slice(0, index + 1).filter((point) => point.endsWith(":after") && point !== "open:after").length;
  expect(leftIn(lease), where).toEqual(leftAfter(SCRIPT.slice(0, done)));
  expect(checkHistory(lease.state.history), where).toEqual([]);
  if (lease.state.open) await lease.rollback("found after a crash");
  await lease.release();
  const before = lease.state.history.length;
  await turn(store, "s", "hello");
  expect((await store.read("s"))?.history.length, where).toBe(before + 2);
  await store.close();
  remove();
}
