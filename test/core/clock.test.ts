import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { sleep, systemClock, toInstant } from "../../src/core/clock.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

test("sleep ends at its time, not before", async () => {
  const clock = new FakeClock();
  let awake = false;
  void sleep(clock, 100).then(() => {
    awake = true;
  });
  await clock.advance(99);
  expect(awake).toBe(false);
  await clock.advance(1);
  expect(awake).toBe(true);
});

test("an abort wakes a sleeper with its reason and leaves neither timer nor listener", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 1_000, controller.signal);
  expect(clock.timers).toBe(1);
  controller.abort("up");
  await expect(sleeping).rejects.toBe("up");
  expect(clock.timers).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
});

test("a sleep that has ended leaves no listener; with an aborted signal it sets no timer", async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const sleeping = sleep(clock, 5, signal);
  await clock.advance(5);
  await sleeping;
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  await expect(sleep(clock, 5, AbortSignal.abort("no"))).rejects.toBe("no");
  expect(clock.timers).toBe(0);
});

test("the system's clock can be asked for a longer wait than a timer holds without firing at once", async () => {
  let fired = false;
  const cancel = systemClock.after(2 ** 40, () => {
    fired = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  cancel();
  expect(fired).toBe(false);
});

test("an instant is ISO 8601, UTC, with milliseconds", () => {
  expect(toInstant(0)).toBe("1970-01-01T00:00:00.000Z");
});
