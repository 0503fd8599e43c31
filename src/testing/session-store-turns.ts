import assert from "node:assert/strict";
import type { JournalEntry } from "../sessions/store.ts";
import { call, entry, journal, model, rejectsWith, results, type SessionStoreCase, turn, user } from "./session-store-fixture.ts";

const STARTED: JournalEntry = { type: "call-started", callId: "c1", name: "look", idempotent: false };

/** What a turn leaves behind, however it ends. */
export const turnCases: readonly SessionStoreCase[] = [
  {
    name: "what was appended is in the journal at once, for other stores too, and is not history",
    guarantee: 4,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const entries: JournalEntry[] = [
        entry(user("hi")),
        STARTED,
        {
          type: "call-result",
          result: { type: "result", callId: "c1", name: "look", content: [{ type: "json", value: [1] }], isError: true },
        },
        { type: "aborted", text: "I was about", reason: "stopped" },
      ];
      for (const each of entries) await lease.append(each);
      const other = await reopen();
      assert.deepEqual(await other.journal("s", "t"), entries);
      assert.equal(await other.read("s"), undefined);
      assert.deepEqual(lease.state.history, []);
      assert.deepEqual(lease.state.open?.entries, entries);
      await lease.release();
    },
  },
  {
    name: "writes that are not awaited one by one keep their order",
    guarantee: 4,
    async run({ store }) {
      const lease = await store.open("s");
      const [hi, ho] = [entry(user("hi")), entry(model("ho"))];
      const [, , , number] = await Promise.all([
        lease.begin("t"),
        lease.append(hi),
        lease.append(ho),
        lease.commit({ end: true }),
        lease.release(),
      ]);
      assert.equal(number, 1);
      assert.deepEqual(await store.journal("s", "t"), [hi, ho]);
      assert.equal((await store.read("s"))?.history.length, 2);
    },
  },
  {
    name: "entries given to a begin, an append or a commit are written with it, in order",
    guarantee: 4,
    async run({ store, reopen }) {
      const asked = call("c1");
      const [hi, reply, answer] = [entry(user("hi")), entry(model("", [asked])), entry(results(asked))];
      const lease = await store.open("s");
      await lease.begin("t", [hi]);
      assert.deepEqual(lease.state.open?.entries, [hi]);
      const other = await reopen();
      assert.deepEqual(await other.journal("s", "t"), [hi]);
      await lease.append(reply, STARTED);
      assert.equal(await lease.commit({ end: false, entries: [answer] }), 1);
      const last = entry(model("done"));
      assert.equal(await lease.commit({ end: true, entries: [last] }), 2);
      assert.deepEqual(await other.journal("s", "t"), [hi, reply, STARTED, answer, last]);
      await lease.begin("u", [entry(user("again"))]);
      await lease.commit({ end: true, entries: [entry(model("yes"))] });
      assert.equal((await other.journal("s", "u")).length, 2);
      await rejectsWith("bad-input", lease.begin("u", [hi]));
      await lease.release();
      assert.equal((await (await reopen()).read("s"))?.history.length, 6);
    },
  },
  {
    name: "a commit with release gives the session to the next in line; one that is refused does not",
    guarantee: 1,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t", [entry(user("hi"))]);
      await rejectsWith("history-invalid", lease.commit({ end: true, entries: [entry(model("", [call("c1")]))], release: true }));
      assert.equal(lease.state.open?.entries.length, 1);
      const waiting = store.open("s");
      assert.equal(await lease.commit({ end: true, entries: [entry(model("ho"))], release: true }), 1);
      const next = await waiting;
      assert.ok(next.fence > lease.fence);
      assert.equal(next.state.commit, 1);
      await rejectsWith("lease-lost", lease.begin("u"));
      await lease.release();
      await next.begin("u", [entry(user("again"))]);
      await next.commit({ end: true, entries: [entry(model("yes"))], release: true });
      await (await (await reopen()).open("s", { onBusy: "reject" })).release();
    },
  },
  {
    name: "a commit makes the messages history, in order, with active agent and metadata, under the next number",
    guarantee: 5,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const asked = call("c1");
      const messages = [user("hi"), model("", [asked]), results(asked), model("done")];
      await journal(lease, ...messages.slice(0, 2));
      await lease.append(STARTED);
      await journal(lease, ...messages.slice(2));
      assert.equal(await lease.commit({ end: true, activeAgent: "B", metadata: { channel: "web" } }), 1);
      assert.deepEqual(lease.state.history, messages);
      await lease.release();
      const state = await (await reopen()).read("s");
      assert.deepEqual(state?.history, messages);
      assert.deepEqual([state.activeAgent, state.metadata, state.commit], ["B", { channel: "web" }, 1]);
      assert.deepEqual(await turn(store, "s", "again"), (await store.read("s"))?.history.slice(4));
      assert.deepEqual([(await store.read("s"))?.activeAgent, (await store.read("s"))?.commit], ["B", 2]);
    },
  },
  {
    name: "a reply that was cut by an abort stays in the journal and never becomes history",
    guarantee: 5,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const cut = { ...model("half a"), aborted: true } as const;
      await journal(lease, user("hi"), cut, model("whole"));
      await lease.commit({ end: true });
      await lease.release();
      assert.equal((await (await reopen()).read("s"))?.history.length, 2);
      assert.equal((await store.journal("s", "t")).length, 3);
    },
  },
  {
    name: "a rollback leaves history, active agent and metadata as they were, and the journal readable",
    guarantee: 6,
    async run({ store, reopen }) {
      const kept = await turn(store, "s", "kept", { activeAgent: "A", metadata: { a: 1 } });
      const lease = await store.open("s");
      await lease.begin("t");
      const lost = user("lost");
      await journal(lease, lost);
      await lease.rollback("no use");
      assert.equal(lease.state.open, undefined);
      await lease.release();
      const other = await reopen();
      const state = await other.read("s");
      assert.deepEqual([state?.history, state?.activeAgent, state?.metadata, state?.commit], [kept, "A", { a: 1 }, 1]);
      assert.deepEqual(await other.journal("s", "t"), [entry(lost)]);
      const records = (await other.turns("s")).map(({ turnId, status, reason }) => ({ turnId, status, reason }));
      assert.deepEqual(records, [
        { turnId: "turn kept", status: "committed", reason: undefined },
        { turnId: "t", status: "rolled-back", reason: "no use" },
      ]);
    },
  },
  {
    name: "a rollback after commits inside the turn keeps what they made history",
    guarantee: 6,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const asked = call("c1");
      const iteration = [user("hi"), model("", [asked]), results(asked)];
      await journal(lease, ...iteration);
      assert.equal(await lease.commit({ end: false, activeAgent: "A" }), 1);
      assert.deepEqual({ ...lease.state.open }, { turnId: "t", paused: false, entries: [] });
      const second = model("more");
      await journal(lease, second);
      assert.equal(await lease.commit({ end: false }), 2);
      await journal(lease, model("lost"));
      await lease.rollback("enough");
      await lease.release();
      const other = await reopen();
      const state = await other.read("s");
      assert.deepEqual([state?.history, state?.commit, state?.activeAgent], [[...iteration, second], 2, "A"]);
      assert.equal((await other.journal("s", "t")).length, 5);
      const next = await other.open("s");
      assert.equal(next.state.open, undefined);
      await next.release();
    },
  },
  {
    name: "a turn that is neither ended nor paused is rolled back by the release",
    guarantee: 6,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      await journal(lease, user("lost"));
      await lease.release();
      const next = await (await reopen()).open("s");
      assert.equal(next.state.open, undefined);
      assert.deepEqual(next.state.history, []);
      await next.release();
      assert.equal((await store.turns("s"))[0]?.status, "rolled-back");
    },
  },
  {
    name: "a turn that a death left open is found by the next open, and can be continued",
    guarantee: 7,
    async run({ store, reopen, expireLeases }) {
      if (!expireLeases) return;
      const other = await reopen();
      const dead = await store.open("s");
      await dead.begin("t");
      const [first, second] = [user("hi"), model("ho")];
      await journal(dead, first, second);
      await dead.commit({ end: false });
      const third = model("more");
      await journal(dead, third);
      await expireLeases();
      const lease = await other.open("s");
      assert.deepEqual(lease.state.history, [first, second]);
      assert.deepEqual({ ...lease.state.open }, { turnId: "t", paused: false, entries: [entry(third)] });
      assert.equal((await other.turns("s"))[0]?.status, "open");
      await rejectsWith("bad-input", lease.begin("another"));
      assert.equal(await lease.commit({ end: true }), 2);
      assert.deepEqual(lease.state.history, [first, second, third]);
      await lease.release();
      await dead.release();
    },
  },
  {
    name: "a paused turn waits for a later lease, which continues it",
    guarantee: 7,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      const first = user("hi");
      await journal(lease, first);
      await lease.pause();
      await lease.release();
      assert.equal((await store.turns("s"))[0]?.status, "paused");
      const other = await reopen();
      const look = await other.open("s");
      assert.deepEqual({ ...look.state.open }, { turnId: "t", paused: true, entries: [entry(first)] });
      await look.release();
      const next = await other.open("s");
      assert.equal(next.state.open?.paused, true);
      await next.begin("t");
      assert.equal(next.state.open.paused, false);
      const second = model("ho");
      await journal(next, second);
      await next.commit({ end: true });
      assert.deepEqual(next.state.history, [first, second]);
      await next.release();
      assert.equal((await store.turns("s"))[0]?.status, "committed");
    },
  },
  {
    name: "a paused turn that was continued and then left is rolled back like any other",
    guarantee: 7,
    async run({ store, reopen }) {
      const lease = await store.open("s");
      await lease.begin("t");
      await lease.pause();
      await journal(lease, user("hi"));
      await lease.release();
      assert.equal((await (await reopen()).turns("s"))[0]?.status, "rolled-back");
    },
  },
  {
    name: "writes out of place are refused and change nothing",
    guarantee: 5,
    async run({ store }) {
      const lease = await store.open("s");
      for (const write of [
        () => lease.append(STARTED),
        () => lease.commit({ end: true }),
        () => lease.rollback("x"),
        () => lease.pause(),
      ]) {
        await rejectsWith("bad-input", write());
      }
      await lease.begin("t");
      await rejectsWith("bad-input", lease.begin("u"));
      await journal(lease, user("hi"), model("ho"));
      await lease.commit({ end: true });
      await rejectsWith("bad-input", lease.begin("t"));
      assert.equal((await store.turns("s")).length, 1);
      await lease.release();
    },
  },
  {
    name: "a commit that would make the history invalid is refused, and the turn can still be rolled back",
    guarantee: 9,
    async run({ store }) {
      const lease = await store.open("s");
      await lease.begin("t");
      await journal(lease, user("hi"), model("", [call("c1")]));
      await rejectsWith("history-invalid", lease.commit({ end: true }));
      await lease.rollback("unanswered call");
      await lease.begin("u");
      await journal(lease, model("I begin"));
      await rejectsWith("history-invalid", lease.commit({ end: true }));
      await lease.release();
      assert.equal(await store.read("s"), undefined);
    },
  },
];
