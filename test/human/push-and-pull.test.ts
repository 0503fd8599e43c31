import { afterEach, beforeEach, expect, test } from "vitest";
import type { Event } from "../../src/messages/event.ts";
import { type Desk, makeDesk, seen, settle } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

test("a sink that throws or rejects harms nothing and is reported", async () => {
  const channel = desk.open({ onEvent: () => Promise.reject(new Error("later")) as unknown as undefined });
  const other: Event[] = [];
  const remove = channel.addSink((event) => void other.push(event));
  channel.addSink(() => {
    throw new Error("at once");
  });
  const asking = channel.ask("Tabs?");
  channel.answer("q1", "yes");
  expect(await asking).toMatchObject({ state: "answered", answer: "yes" });
  await settle();
  expect(channel.uiErrors.map((error) => (error as Error).message).sort()).toEqual(["at once", "at once", "later", "later"]);
  remove();
  await channel.send("hello");
  expect(seen(other)).toEqual(["q1 asked", "q1 answered"]);
});

test("a sink may answer while it is shown the question", async () => {
  const channel = desk.open();
  channel.onEvent = (event) => {
    desk.events.push(event);
    if (event.kind === "ask" && event.payload.state === "asked") channel.answer(event.payload.id, "at once");
  };
  expect(await channel.ask("Tabs?")).toMatchObject({ answer: "at once" });
  expect(seen(desk.events)).toEqual(["q1 asked", "q1 answered"]);
  const pulling = channel.nextAsk({ timeoutMs: 1 });
  await desk.clock.advance(1);
  expect(await pulling).toBeUndefined();
});

test("an event carries the question as raw, out of reach of copies", async () => {
  const channel = desk.open();
  void channel.ask("Tabs?", { path: ["boss", "hand"] });
  const [event] = desk.events as [Event];
  expect(event.raw).toBe(channel.asks[0]);
  expect(JSON.parse(JSON.stringify(event))).toEqual({
    kind: "ask",
    text: "Tabs?",
    tool: "",
    payload: {
      kind: "question",
      id: "q1",
      options: [],
      state: "asked",
      answer: "",
      remaining: -1,
      askedAt: "2026-01-01T00:00:00.000Z",
      path: ["boss", "hand"],
      purpose: "model",
    },
  });
  channel.answer("q1", "");
});

test("pullers and the sink see the same questions; each puller's question is its own", async () => {
  const channel = desk.open();
  const pulls = [channel.nextAsk(), channel.nextAsk()];
  const asking = [channel.ask("a"), channel.ask("b"), channel.ask("c")];
  const pulled = [...(await Promise.all(pulls)), await channel.nextAsk()];
  expect(pulled.map((ask) => ask?.id)).toEqual(["q1", "q2", "q3"]);
  expect(seen(desk.events)).toEqual(["q1 asked", "q2 asked", "q3 asked"]);
  for (const ask of pulled) channel.answer(ask?.id ?? "", "ok");
  await Promise.all(asking);
});

test("a pull passes over settled questions, also one that was settled as it was handed over", async () => {
  const channel = desk.open();
  const asking = [channel.ask("a"), channel.ask("b")];
  channel.answer("q1", "ok");
  expect((await channel.nextAsk())?.id).toBe("q2");
  const pulling = channel.nextAsk();
  asking.push(channel.ask("c"));
  channel.answer("q3", "ok");
  asking.push(channel.ask("d"));
  expect((await pulling)?.id).toBe("q4");
  channel.answer("q2", "ok");
  channel.answer("q4", "ok");
  await Promise.all(asking);
});

test("a pull ends at its own timeout or abort, and leaves no place in the line behind", async () => {
  const channel = desk.open();
  const abort = new AbortController();
  const aborted = channel.nextAsk({ signal: abort.signal });
  const timed = channel.nextAsk({ timeoutMs: 50 });
  abort.abort(new Error("stop"));
  await expect(aborted).rejects.toThrow("stop");
  await desk.clock.advance(50);
  expect(await timed).toBeUndefined();
  expect(desk.clock.timers).toBe(0);
  const asking = channel.ask("a", { signal: AbortSignal.timeout(20_000) });
  expect((await channel.nextAsk())?.id).toBe("q1");
  channel.answer("q1", "ok");
  await asking;
});
