import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Ask } from "../../src/human/ask.ts";
import type { HumanChannel } from "../../src/human/channel.ts";
import { type Desk, makeDesk, seen, settle, waiting } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

interface Act {
  readonly name: string;
  /** What happens to the question while it waits; gives the expected outcome when it could wait. */
  readonly act: (channel: HumanChannel, abort: AbortController) => Promise<void> | void;
  readonly state: Ask["state"];
  readonly answer: string;
  readonly logged: RegExp;
}

const acts: readonly Act[] = [
  {
    name: "answer",
    act: (ch) => void ch.answer("q1", "yes"),
    state: "answered",
    answer: "yes",
    logged: /q1 answered after 0\.0 s:\n\n> yes/,
  },
  {
    name: "decline",
    act: (ch) => void ch.decline("q1", "not now"),
    state: "declined",
    answer: "not now",
    logged: /q1 declined after 0\.0 s\.\n\n> not now/,
  },
  {
    name: "double answer",
    act: (ch) => {
      expect([ch.answer("q1", "first"), ch.answer("q1", "second"), ch.decline("q1")]).toEqual([true, false, false]);
    },
    state: "answered",
    answer: "first",
    logged: /q1 answered after 0\.0 s:\n\n> first\n$/,
  },
  { name: "abort", act: (_ch, abort) => abort.abort(new Error("stop")), state: "invalid", answer: "", logged: /q1 not asked/ },
];

const waits = [
  { maxAsks: undefined, timeoutMs: null },
  { maxAsks: undefined, timeoutMs: 1000 },
  { maxAsks: 2, timeoutMs: null },
  { maxAsks: 2, timeoutMs: 1000 },
] as const;

describe.each(waits)("a question that can wait ($maxAsks, $timeoutMs)", (settings) => {
  const left = settings.maxAsks === undefined ? -1 : 1;

  test.each(acts)("$name: one state, two events with one id, one entry in the log", async ({ act, state, answer, logged }) => {
    const channel = desk.open({ ...settings, logPath: desk.log });
    const abort = new AbortController();
    const asking = channel.ask("Tabs?", { options: ["yes", "no"], signal: abort.signal });
    const outcome = asking.then(
      (ask) => ask.state,
      (error: Error) => error.message,
    );
    expect(channel.pending().map((ask) => ask.id)).toEqual(["q1"]);
    await act(channel, abort);
    expect(await outcome).toBe(state === "invalid" ? "stop" : state);
    expect(channel.answer("q1", "late")).toBe(false);
    expect(channel.asks[0]).toMatchObject({ state, answer });
    expect(channel.pending()).toEqual([]);
    expect(seen(desk.events)).toEqual(["q1 asked", `q1 ${state}`]);
    expect(desk.events[1]).toMatchObject({ text: "Tabs?", payload: { kind: "question", answer, remaining: left, options: ["yes", "no"] } });
    expect(desk.clock.timers).toBe(0);
    await channel.close();
    const log = await desk.read(desk.log);
    expect(log).toMatch(/^\n## q1 · 2026-01-01T00:00:00\.000Z\n\n> Tabs\?\n\nOptions:\n\n- yes\n- no\n/);
    expect(log).toMatch(logged);
    expect(log.match(/## q1/g)).toHaveLength(1);
  });

  test("nobody: it times out at its time and not before, or waits for ever; an answer after that is refused", async () => {
    const channel = desk.open({ ...settings, logPath: desk.log });
    const asking = channel.ask("Tabs?");
    await desk.clock.advance(999);
    expect(channel.pending()).toHaveLength(1);
    await desk.clock.advance(1);
    if (settings.timeoutMs === null) {
      await desk.clock.advance(1e12);
      expect(channel.answer("q1", "at last")).toBe(true);
      expect((await asking).waitedMs).toBe(1e12 + 1000);
      await channel.close();
      return;
    }
    expect(await asking).toMatchObject({ state: "timeout", answer: "", waitedMs: 1000 });
    expect(channel.answer("q1", "late")).toBe(false);
    expect(seen(desk.events)).toEqual(["q1 asked", "q1 timeout"]);
    await channel.flush();
    expect(await desk.read(desk.log)).toMatch(/q1 not answered by anyone \(1\.0 s\)/);
  });
});

const refusals = [
  { maxAsks: undefined, timeoutMs: 0, states: ["timeout", "timeout", "timeout"] },
  { maxAsks: 2, timeoutMs: 0, states: ["timeout", "timeout", "over_budget"] },
  { maxAsks: 0, timeoutMs: null, states: ["over_budget", "over_budget", "over_budget"] },
  { maxAsks: 0, timeoutMs: 0, states: ["over_budget", "over_budget", "over_budget"] },
  { maxAsks: 0, timeoutMs: 1000, states: ["over_budget", "over_budget", "over_budget"] },
  { maxAsks: undefined, timeoutMs: -5, states: ["timeout", "timeout", "timeout"] },
] as const;

test.each(refusals)("never waits with maxAsks $maxAsks and timeoutMs $timeoutMs: one event each, nothing to answer", async (row) => {
  const channel = desk.open({ maxAsks: row.maxAsks, timeoutMs: row.timeoutMs, logPath: desk.log });
  const asks = [await channel.ask("one"), await channel.ask("two"), await channel.ask("three")];
  expect(asks.map((ask) => ask.state)).toEqual(row.states);
  expect(asks.every((ask) => ask.answer === "" && !channel.answer(ask.id, "late"))).toBe(true);
  expect(seen(desk.events)).toEqual(row.states.map((state, index) => `q${index + 1} ${state}`));
  const pulling = channel.nextAsk({ timeoutMs: 5 });
  await desk.clock.advance(5);
  expect(await pulling).toBeUndefined();
  await channel.close();
  expect((await desk.read(desk.log)).match(/^q\d not (asked|answered)/gm)).toHaveLength(3);
});

test("the quota stops the model only, and counts accepted questions only", async () => {
  const channel = desk.open({ maxAsks: 2 });
  expect(channel.remaining).toBe(2);
  const asking = [
    channel.ask("goal?", { purpose: "goal" }),
    channel.ask("  "),
    channel.ask("a"),
    channel.ask("b"),
    channel.ask("c"),
    channel.ask("money?", { purpose: "budget" }),
  ];
  await settle();
  expect(channel.remaining).toBe(0);
  for (const ask of channel.pending()) channel.answer(ask.id, "ok");
  const states = (await Promise.all(asking)).map((ask) => ask.state);
  expect(states).toEqual(["answered", "invalid", "answered", "answered", "over_budget", "answered"]);
  expect(desk.open().remaining).toBe(-1);
});

test("questions asked at once are answered in any order, each with its own answer", async () => {
  const channel = desk.open({ logPath: desk.log });
  const asking = Array.from({ length: 20 }, (_, index) => channel.ask(`question ${index + 1}`));
  const order = channel.pending().map((ask) => ask.id);
  for (let last = order.length - 1; last > 0; last--) {
    const other = (last * 7 + 3) % (last + 1);
    [order[last], order[other]] = [order[other] as string, order[last] as string];
  }
  for (const id of order) expect(channel.answer(id, `answer to ${id}`)).toBe(true);
  const asks = await Promise.all(asking);
  expect(asks.map((ask) => ask.answer)).toEqual(asks.map((ask) => `answer to ${ask.id}`));
  expect(asks.map((ask) => ask.question)).toEqual(asks.map((ask) => `question ${ask.id.slice(1)}`));
  await channel.close();
  for (const id of order) expect(await desk.read(desk.log)).toContain(`\n${id} answered after 0.0 s:\n\n> answer to ${id}\n`);
});

test("an aborted question with a key stays open: it can be answered, and the same key finds the answer", async () => {
  const channel = desk.open({ timeoutMs: 1000 });
  const abort = new AbortController();
  const asking = channel.ask("Tabs?", { key: "s/c", signal: abort.signal });
  abort.abort(new Error("stop"));
  await expect(asking).rejects.toThrow("stop");
  expect(channel.pending()).toEqual([]);
  expect(channel.answer("q1", "yes")).toBe(true);
  expect(await channel.ask("Tabs?", { key: "s/c" })).toMatchObject({ id: "q1", answer: "yes" });
  expect(seen(desk.events)).toEqual(["q1 asked", "q1 answered"]);
});

test("a signal that has aborted before asks nothing", async () => {
  const channel = desk.open();
  await expect(channel.ask("Tabs?", { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
  expect(channel.asks).toEqual([]);
  expect(desk.events).toEqual([]);
});

test("closing ends the waiting", async () => {
  const channel = desk.open({ storePath: desk.store });
  const asking = channel.ask("Tabs?", { key: "s/c" });
  const pulling = channel.nextAsk().then(() => channel.nextAsk());
  await waiting(channel);
  await channel.close();
  await expect(asking).rejects.toMatchObject({ code: "aborted" });
  await expect(channel.ask("More?")).rejects.toMatchObject({ code: "aborted" });
  expect(await pulling).toBeUndefined();
  expect(desk.clock.timers).toBe(0);
});

test("settings that mean nothing are refused when the channel is made", () => {
  expect(() => desk.open({ maxAsks: -1 })).toThrow(/maxAsks/);
  expect(() => desk.open({ maxAsks: 1.5 })).toThrow(/maxAsks/);
  expect(() => desk.open({ timeoutMs: Number.NaN })).toThrow(/timeoutMs/);
});
