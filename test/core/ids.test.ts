import { expect, test } from "vitest";
import { newCallId, newId, newRunId, randomName } from "../../src/core/ids.ts";

const MANY = 20_000;

test.each([
  ["a message or turn id", newId, /^[0-9A-Za-z]{16}$/],
  ["a tool call id", newCallId, /^[0-9A-Za-z]{9}$/],
])("%s has its form and comes once", (_what, make, form) => {
  const made = Array.from({ length: MANY }, make);
  expect(made.every((id) => form.test(id))).toBe(true);
  expect(new Set(made).size).toBe(MANY);
});

test("a run id begins with its UTC time and ends in six hex digits", () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 999);
  expect(newRunId(at)).toMatch(/^20260102-030405-[0-9a-f]{6}$/);
  expect(newRunId(at)).not.toBe(newRunId(at));
});

test("run ids sort by time", () => {
  const times = [0, 1e12, 1.7e12, 1.7e12 + 1_000];
  const ids = times.map(newRunId);
  expect([...ids].sort()).toEqual(ids);
});

test("a random name uses all 62 symbols about equally often", () => {
  const counts = new Map<string, number>();
  for (const symbol of randomName(62_000)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1,000 expected each; eight standard deviations are about 250.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
});
