import { describe, expect, it } from "vitest";
import { checkHistory } from "../../src/messages/history.ts";
import type { SessionLease, SessionStore } from "../../src/sessions/store.ts";
import { FAULT_POINTS, type FaultPoint, failAt } from "../../src/testing/faults.ts";
import { turn } from "../../src/testing/session-store-fixture.ts";
import { memoryFixture, sqliteFixture } from "./fixtures.ts";
import { leftAfter, leftIn, play, SCRIPT } from "./script.ts";

const WRITES = FAULT_POINTS.filter((point) => /^(begin|append|commit|rollback|pause):/.test(point));

describe.each([
  ["memory", memoryFixture],
  ["sqlite", sqliteFixture],
] as const)("a write of the %s store that fails", (_name, make) => {
  it.each(WRITES)("at %s is done wholly or not at all, and the lease goes on", async (point) => {
    const { store, cleanup } = make(failAt(point));
    const lease = await store.open("s");
    let done = 0;
    for (const step of SCRIPT) {
      const failed = await play(lease, step).then(
        () => false,
        () => true,
      );
      if (failed && !point.endsWith(":after")) {
        expect(leftIn(lease)).toEqual(leftAfter(SCRIPT.slice(0, done)));
        await play(lease, step);
      }
      done++;
      expect(leftIn(lease)).toEqual(leftAfter(SCRIPT.slice(0, done)));
    }
    await lease.release();
    expect(checkHistory((await store.read("s"))!.history)).toEqual([]);
    await cleanup();
  });

  it.each(["fork:before", "fork:inside", "fork:after", "delete:before", "delete:inside", "delete:after"] as const)(
    "at %s leaves the old state or the new one",
    async (point) => {
      const { store, cleanup } = make(failAt(point));
      await turn(store, "s", "1");
      const isDelete = point.startsWith("delete");
      await expect(isDelete ? store.delete("s") : store.fork("s", "f")).rejects.toThrow(point);
      const left = (await store.list()).ids;
      if (isDelete) expect(left).toEqual(point === "delete:after" ? [] : ["s"]);
      else expect(left).toEqual(point === "fork:after" ? ["f", "s"] : ["s"]);
      await turn(store, "s", "2");
      expect((await store.turns("s")).length).toBe(point === "delete:after" ? 1 : 2);
      await cleanup();
    },
  );

  it.each(["open:before", "open:after", "release:before", "release:after"] as const)(
    "at %s does not keep the session from whoever comes when its lease is over",
    async (point) => {
      const fixture = make(failAt(point));
      await openAndRelease(fixture.store, point).catch(() => {});
      fixture.expireLeases?.();
      await turn(fixture.store, "s", "after");
      expect((await fixture.store.read("s"))?.commit).toBe(1);
      await fixture.cleanup();
    },
  );
});

/** A failing release may be tried again. */
async function openAndRelease(store: SessionStore, point: FaultPoint): Promise<void> {
  const lease: SessionLease = await store.open("s");
  await expect(lease.release()).rejects.toThrow(point);
  await lease.release();
}
