import { expect, it } from "vitest";
import { MemorySessionStore } from "../../src/sessions/memory.ts";
import { turn } from "../../src/testing/session-store-fixture.ts";

it("a session in memory keeps the journals of its last 100 turns and the record of every turn", async () => {
  await using store = new MemorySessionStore();
  for (let i = 1; i <= 150; i++) await turn(store, "s", String(i));
  expect((await store.turns("s")).length).toBe(150);
  expect(await store.journal("s", "turn 50")).toEqual([]);
  expect((await store.journal("s", "turn 51")).length).toBe(2);
  await store.fork("s", "f", { at: 10 });
  expect((await store.read("f"))?.history.length).toBe(20);
});
