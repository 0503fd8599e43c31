import { expect, test } from "vitest";
import { Bell } from "../../src/core/bell.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

test("a ring wakes the one who waits, and one that came before is not missed", async () => {
  const bell = new Bell();
  const woken = bell.wait();
  bell.ring();
  await woken;
  bell.ring();
  bell.ring();
  await bell.wait();
});

test("two rings wake once: the next wait is a wait", async () => {
  const bell = new Bell();
  const clock = new FakeClock();
  bell.ring();
  bell.ring();
  await bell.wait();
  let woken = false;
  const waiting = bell.wait({ atMost: { ms: 10, clock } }).then(() => {
    woken = true;
  });
  await clock.advance(9);
  expect(woken).toBe(false);
  await clock.advance(1);
  await waiting;
});

test("an abort ends the wait, before and during, and no timer or listener stays", async () => {
  const bell = new Bell();
  const clock = new FakeClock();
  const stop = new AbortController();
  const waiting = bell.wait({ signal: stop.signal, atMost: { ms: 10, clock } });
  stop.abort();
  await waiting;
  await bell.wait({ signal: stop.signal });
  expect(clock.timers).toBe(0);
});
