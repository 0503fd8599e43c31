import { afterEach, beforeEach, expect, test } from "vitest";
import { type Desk, makeDesk, seen, settle, waiting } from "./desk.ts";
import { expectFive, FIVE, settleFive } from "./five-questions.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

test("a negative time is no time: nobody is there", async () => {
  const channel = desk.open({ timeoutMs: -5 });
  expect(await channel.ask("Tabs?")).toMatchObject({ state: "timeout", answer: "" });
  const pulling = channel.nextAsk({ timeoutMs: 5 });
  await desk.clock.advance(5);
  expect(await pulling).toBeUndefined();
  expect(seen(desk.events)).toEqual(["q1 timeout"]);
});

test("a question without a key is withdrawn when its asker gives it up", async () => {
  const channel = desk.open({ logPath: desk.log });
  const abort = new AbortController();
  const asking = channel.ask("Tabs?", { signal: abort.signal });
  abort.abort(new Error("stop"));
  await expect(asking).rejects.toThrow("stop");
  expect(channel.answer("q1", "late")).toBe(false);
  expect(seen(desk.events)).toEqual(["q1 asked", "q1 invalid"]);
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

test("five questions at once, answered in any order, one declined, one never answered: each gets its own", async () => {
  const channel = desk.open({ logPath: desk.log, timeoutMs: 1000 });
  const asking = FIVE.map((question) => channel.ask(question));
  await settleFive(channel);
  await desk.clock.advance(1000);
  expectFive(await Promise.all(asking));
  await channel.close();
  const log = await desk.read(desk.log);
  for (const ask of channel.asks) expect(log.match(new RegExp(`^${ask.id} (answered|declined|not answered)`, "gm"))).toHaveLength(1);
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
