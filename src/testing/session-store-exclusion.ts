import assert from "node:assert/strict";
import { isFlowerError } from "../core/errors.ts";
import type { SessionLease } from "../sessions/store.ts";
import { journal, model, rejectsWith, type SessionStoreCase, settle, turn, user } from "./session-store-fixture.ts";

/** Who may write, and for how long. */
export const exclusionCases: readonly SessionStoreCase[] = [
  {
    name: "a session that is held makes the next one wait until it is released",
    guarantee: 1,
    async run({ store }) {
      const first = await store.open("s");
      let opened = false;
      const second = store.open("s").then((lease) => {
        opened = true;
        return lease;
      });
      await settle();
      assert.equal(opened, false);
      await first.release();
      await (await second).release();
    },
  },
  {
    name: "those who wait are served in order of arrival",
    guarantee: 1,
    async run({ store }) {
      const order: number[] = [];
      const first = await store.open("s");
      const waiting = [1, 2, 3, 4, 5].map(async (number) => {
        const lease = await store.open("s");
        order.push(number);
        await settle();
        await lease.release();
      });
      await settle();
      await first.release();
      await Promise.all(waiting);
      assert.deepEqual(order, [1, 2, 3, 4, 5]);
    },
  },
  {
    name: "a session held by another store object makes this one wait",
    guarantee: 1,
    async run({ store, reopen }) {
      const other = await reopen();
      const first = await other.open("s");
      const waiting = store.open("s");
      await settle();
      await rejectsWith("session-busy", store.open("s", { onBusy: "reject" }));
      await first.release();
      const second = await waiting;
      await rejectsWith("session-busy", other.open("s", { onBusy: "reject" }));
      await second.release();
    },
  },
  {
    name: "two stores that open one session in turn both make progress, and every turn is committed",
    guarantee: 1,
    async run({ store, reopen }) {
      const stores = [store, await reopen()];
      const work = stores.map(async (each, index) => {
        for (let i = 0; i < 5; i++) await turn(each, "s", `${index}-${i}`);
      });
      await Promise.all(work);
      const state = await store.read("s");
      assert.equal(state?.commit, 10);
      assert.equal(state.history.length, 20);
    },
  },
  {
    name: "onBusy reject does not wait",
    guarantee: 1,
    async run({ store }) {
      const lease = await store.open("s");
      await rejectsWith("session-busy", store.open("s", { onBusy: "reject" }));
      await lease.release();
      await (await store.open("s", { onBusy: "reject" })).release();
    },
  },
  {
    name: "an abort ends the waiting with its reason and lets those behind move up",
    guarantee: 1,
    async run({ store }) {
      const lease = await store.open("s");
      const controller = new AbortController();
      const aborted = store.open("s", { signal: controller.signal });
      const behind = store.open("s");
      const reason = new Error("never mind");
      controller.abort(reason);
      await assert.rejects(aborted, reason);
      await lease.release();
      await (await behind).release();
    },
  },
  {
    name: "an aborted signal is refused even when the session is free",
    guarantee: 1,
    async run({ store }) {
      await assert.rejects(store.open("s", { signal: AbortSignal.abort(new Error("gone")) }), /gone/);
      await (await store.open("s", { onBusy: "reject" })).release();
    },
  },
  {
    name: "different sessions do not wait for each other",
    guarantee: 1,
    async run({ store }) {
      const leases = await Promise.all(["a", "b", "c"].map((id) => store.open(id)));
      for (const lease of leases) {
        await lease.begin("t");
        await journal(lease, user("hi"), model("ho"));
      }
      for (const lease of leases) assert.equal(await lease.commit({ end: true }), 1);
      for (const lease of leases) await lease.release();
    },
  },
  {
    name: "each lease has a larger fencing number than the one before",
    guarantee: 2,
    async run({ store, reopen }) {
      const fences: number[] = [];
      for (const each of [store, await reopen(), store]) {
        const lease = await each.open("s");
        fences.push(lease.fence);
        await lease.release();
      }
      assert.ok(fences[0]! < fences[1]! && fences[1]! < fences[2]!, String(fences));
    },
  },
  {
    name: "a released lease cannot write, and releasing twice is harmless",
    guarantee: 2,
    async run({ store }) {
      const lease = await store.open("s");
      await lease.release();
      const next = await store.open("s");
      await lease.release();
      await rejectsWith("session-busy", store.open("s", { onBusy: "reject" }));
      for (const write of writes(lease)) await rejectsWith("lease-lost", write());
      await next.release();
    },
  },
  {
    name: "a holder whose lease expired cannot write, taken over or not, and is told",
    guarantee: 2,
    async run({ store, reopen, expireLeases }) {
      if (!expireLeases) return;
      const other = await reopen();
      const stale = await store.open("s");
      await stale.begin("stale");
      await journal(stale, user("lost"));
      await expireLeases();
      await rejectsWith("lease-lost", stale.append({ type: "message", message: model("late") }));
      assert.ok(stale.lost?.aborted && isFlowerError(stale.lost.reason, "lease-lost"));
      const taken = await other.open("s", { onBusy: "reject" });
      for (const write of writes(stale)) await rejectsWith("lease-lost", write());
      await stale.release();
      await taken.rollback("given up");
      await taken.begin("fresh");
      await journal(taken, user("kept"), model("kept"));
      await taken.commit({ end: true });
      assert.equal(taken.state.history.length, 2);
      await taken.release();
    },
  },
  {
    name: "a crashed holder's session can be opened once its lease expired, not before",
    guarantee: 3,
    async run({ store, reopen, expireLeases }) {
      if (!expireLeases) return;
      const other = await reopen();
      await store.open("s");
      await rejectsWith("session-busy", other.open("s", { onBusy: "reject" }));
      await expireLeases();
      await (await other.open("s", { onBusy: "reject" })).release();
    },
  },
];

function writes(lease: SessionLease): readonly (() => Promise<unknown>)[] {
  return [
    () => lease.begin("again"),
    () => lease.append({ type: "message", message: user("late") }),
    () => lease.commit({ end: true }),
    () => lease.rollback("late"),
    () => lease.pause(),
  ];
}
