import { expect, test } from "vitest";
import { sleep } from "../../src/core/clock.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

test("timers run in the order of their instants, each at its own, those set on the way included", async () => {
  const clock = new FakeClock(0);
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name}@${clock.now()}`);
  clock.after(20, note("b"));
  const cancel = clock.after(15, note("cancelled"));
  clock.after(10, () => {
    note("a")();
    cancel();
    clock.after(5, note("set on the way"));
  });
  clock.after(31, note("too late"));
  await clock.advance(30);
  expect(ran).toEqual(["a@10", "set on the way@15", "b@20"]);
  expect([clock.now(), clock.timers]).toEqual([30, 1]);
});

test("a chain of sleeps is walked through in one advance", async () => {
  const clock = new FakeClock(0);
  const walk = (async () => {
    for (let step = 0; step < 3; step++) await sleep(clock, 10);
    return clock.now();
  })();
  await clock.advance(100);
  expect(await walk).toBe(30);
});
