import assert from "node:assert/strict";
import { checkHistory } from "../messages/history.ts";
import { journal, model, rejectsWith, type SessionStoreCase, turn, user } from "./session-store-fixture.ts";

/** What is read, listed, copied and removed. */
export const readingCases: readonly SessionStoreCase[] = [
  {
    name: "the history grows in place: a later lease sees the same array, with what other stores committed",
    guarantee: 8,
    async run({ store, reopen }) {
      await turn(store, "s", "1");
      const first = await store.open("s");
      const { history } = first.state;
      await first.release();
      await turn(await reopen(), "s", "2");
      const second = await store.open("s");
      assert.equal(second.state.history, history);
      assert.equal(history.length, 4);
      await second.release();
    },
  },
  {
    name: "a history of many turns reads back whole and valid",
    guarantee: 9,
    async run({ store, reopen }) {
      const said = [];
      for (let i = 0; i < 50; i++) said.push(...(await turn(store, "s", String(i))));
      const state = await (await reopen()).read("s");
      assert.deepEqual(state?.history, said);
      assert.deepEqual(checkHistory(state.history), []);
    },
  },
  {
    name: "reading needs no lease, sees committed state only, and what was read does not change afterwards",
    guarantee: 10,
    async run({ store, reopen }) {
      const kept = await turn(store, "s", "kept");
      const lease = await store.open("s");
      await lease.begin("t");
      await journal(lease, user("not yet"));
      for (const each of [store, await reopen()]) {
        const state = await each.read("s");
        assert.deepEqual(state?.history, kept);
        assert.equal(state.open, undefined);
        assert.deepEqual((await each.list()).ids, ["s"]);
      }
      const before = await store.read("s");
      await journal(lease, model("now"));
      await lease.commit({ end: true });
      await lease.release();
      assert.deepEqual([before?.history.length, before?.commit], [2, 1]);
    },
  },
  {
    name: "a session without a commit is neither read nor listed",
    guarantee: 10,
    async run({ store }) {
      await (await store.open("s")).release();
      assert.equal(await store.read("s"), undefined);
      assert.deepEqual(await store.list(), { ids: [] });
      assert.deepEqual([await store.turns("s"), await store.journal("s", "t"), await store.journal("no", "t")], [[], [], []]);
    },
  },
  {
    name: "ids are listed in order, by prefix, page by page, with a cursor on every page but the last",
    guarantee: 10,
    async run({ store }) {
      for (const id of ["b", "a/2", "a/10", "a%", "a/1", "A/1", "ä"]) await turn(store, id, id);
      const all = ["A/1", "a%", "a/1", "a/10", "a/2", "b", "ä"];
      assert.deepEqual((await store.list()).ids, all);
      assert.deepEqual((await store.list({ prefix: "a/" })).ids, ["a/1", "a/10", "a/2"]);
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({ limit: 3, cursor });
        pages.push([...page.ids]);
        cursor = page.cursor;
      } while (cursor !== undefined);
      assert.deepEqual(pages, [all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
      assert.deepEqual(await store.list({ prefix: "a/", limit: 3 }), { ids: ["a/1", "a/10", "a/2"] });
    },
  },
  {
    name: "a fork holds the history up to its commit and goes its own way",
    guarantee: 5,
    async run({ store, reopen }) {
      const one = await turn(store, "s", "1", { activeAgent: "A", metadata: { n: 1 } });
      const two = await turn(store, "s", "2");
      await turn(store, "s", "3", { activeAgent: "C", metadata: { n: 3 } });
      await store.fork("s", "f", { at: 2 });
      await store.fork("s", "g");
      const other = await reopen();
      const fork = await other.read("f");
      assert.deepEqual([fork?.history, fork?.commit, fork?.activeAgent, fork?.metadata], [[...one, ...two], 2, "A", { n: 1 }]);
      assert.deepEqual((await other.read("g"))?.activeAgent, "C");
      const own = await turn(other, "f", "own");
      assert.deepEqual((await store.read("f"))?.history, [...one, ...two, ...own]);
      assert.equal((await store.read("s"))?.history.length, 6);
      const turns = (await store.turns("f")).map(({ turnId, status }) => `${turnId} ${status}`);
      assert.deepEqual(turns, ["turn 1 committed", "turn 2 committed", "turn own committed"]);
      await store.fork("f", "h", { at: 1 });
      assert.deepEqual((await store.read("h"))?.history, one);
    },
  },
  {
    name: "a fork in the middle of a turn holds the commits made until then",
    guarantee: 5,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const messages = [user("hi"), model("one"), model("two")];
      await journal(lease, ...messages.slice(0, 2));
      await lease.commit({ end: false });
      await journal(lease, messages[2]!);
      await lease.commit({ end: false });
      await journal(lease, model("open"));
      await store.fork("s", "f", { at: 1 });
      await store.fork("s", "g");
      const other = await reopen();
      assert.deepEqual((await other.read("f"))?.history, messages.slice(0, 2));
      assert.deepEqual((await other.read("g"))?.history, messages);
      assert.equal((await other.journal("g", "t")).length, 3);
      const fork = await other.open("g");
      assert.equal(fork.state.open, undefined);
      await fork.release();
      await lease.release();
    },
  },
  {
    name: "a fork is refused without a source, without that commit, and over an existing session",
    guarantee: 5,
    async run({ store }) {
      await rejectsWith("not-found", store.fork("no", "f"));
      await turn(store, "s", "1");
      await turn(store, "t", "1");
      for (const at of [0, 2, -1]) await rejectsWith("not-found", store.fork("s", "f", { at }));
      await rejectsWith("bad-input", store.fork("s", "t"));
      await rejectsWith("bad-input", store.fork("s", "s"));
      const held = await store.open("f");
      await rejectsWith("bad-input", store.fork("s", "f"));
      await held.release();
      assert.equal(await store.read("f"), undefined);
      await store.fork("s", "f");
      assert.equal((await store.read("t"))?.history.length, 2);
    },
  },
  {
    name: "a deleted session is gone with its journal, waits for its lease, and can begin anew",
    guarantee: 1,
    async run({ store, reopen }) {
      await turn(store, "s", "1");
      await turn(store, "other", "1");
      const lease = await store.open("s");
      const deleting = store.delete("s");
      assert.equal(lease.state.history.length, 2);
      await lease.release();
      assert.equal(await deleting, true);
      const other = await reopen();
      assert.deepEqual([await other.read("s"), await other.turns("s"), await other.journal("s", "turn 1")], [undefined, [], []]);
      assert.equal(await store.delete("s"), false);
      assert.deepEqual((await store.list()).ids, ["other"]);
      const anew = await turn(store, "s", "1");
      const state = await other.read("s");
      assert.deepEqual([state?.history, state?.commit], [anew, 1]);
    },
  },
  {
    name: "after close every call rejects, those who wait are sent away, and held sessions are free",
    guarantee: 1,
    async run({ store, reopen, durable }) {
      await turn(store, "s", "1");
      const other = await reopen();
      const lease = await store.open("s");
      const waiting = assert.rejects(store.open("s"));
      await lease.begin("t");
      await store.close();
      await waiting;
      await store.close();
      for (const refused of [store.open("s"), store.read("s"), store.list(), store.turns("s"), store.delete("s"), store.fork("s", "f")]) {
        await assert.rejects(refused);
      }
      assert.ok(lease.lost === undefined || lease.lost.aborted);
      await rejectsWith("lease-lost", lease.append({ type: "message", message: user("late") }));
      await lease.release();
      if (!durable) return;
      const next = await other.open("s", { onBusy: "reject" });
      assert.deepEqual([next.state.open, next.state.history.length], [undefined, 2]);
      await next.release();
    },
  },
];
