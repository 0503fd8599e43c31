import { expect, test } from "vitest";
import { type Place, type Probe, placeOf, Reachability } from "../../src/runtime/reachability.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { Line } from "./line.ts";

const PLACE: Place = { host: "model.test", port: 443 };
const live = () => new AbortController().signal;

/** Probes that answer as told; `undefined`: never. */
function bench(answers: readonly (boolean | undefined)[]) {
  const clock = new FakeClock();
  const probes: Place[] = [];
  let stopped = 0;
  const probe = (place: Place): Probe => {
    const says = answers[probes.push(place) - 1];
    let stop = () => {};
    const answer = new Promise<boolean>((resolve) => {
      stop = () => {
        stopped++;
        resolve(false);
      };
      if (says !== undefined) resolve(says);
    });
    return { answer, stop: () => stop() };
  };
  const reachability = new Reachability({ clock, everyMs: 15_000, probe });
  return { clock, probes, reachability, stopped: () => stopped };
}

test.each<[string, Place | undefined]>([
  ["https://api.openai.com/v1", { host: "api.openai.com", port: 443 }],
  ["http://localhost:11434/v1", { host: "localhost", port: 11_434 }],
  ["http://[::1]/v1", { host: "::1", port: 80 }],
  ["ws://host", undefined],
  ["nonsense", undefined],
])("%s leads to a host and a port", (endpoint, place) => {
  expect(placeOf(endpoint)).toEqual(place);
});

test("an address that is not known leads nowhere", () => expect(placeOf(undefined)).toBeUndefined());

test("all who wait for one place share its probes, another place has its own", async () => {
  const { clock, probes, reachability } = bench([false, false, true]);
  const waiting = [1, 2, 3].map(() => reachability.isUp(PLACE, live()));
  expect(await Promise.all(waiting)).toEqual([false, false, false]);
  expect(probes).toHaveLength(1);
  const next = [1, 2, 3].map(() => reachability.next(PLACE, live()));
  await clock.advance(14_999);
  expect(probes).toHaveLength(1);
  await clock.advance(1);
  expect(await Promise.all(next)).toEqual([false, false, false]);
  expect(probes).toHaveLength(2);
  expect(await reachability.isUp({ ...PLACE, port: 80 }, live())).toBe(true);
  expect(clock.timers).toBe(0);
});

test("a probe that gets no answer is given up as a no after 10 s", async () => {
  const { clock, reachability, stopped } = bench([undefined]);
  const asked = reachability.isUp(PLACE, live());
  await clock.advance(10_000);
  expect(await asked).toBe(false);
  expect(stopped()).toBe(1);
});

test("the next probe can be brought forward, and is not made when nobody waits", async () => {
  const { probes, reachability } = bench([true]);
  reachability.hurry(PLACE);
  expect(probes).toHaveLength(0);
  const next = reachability.next(PLACE, live());
  reachability.hurry(PLACE);
  expect(await next).toBe(true);
});

test("a hurry while a probe is under way brings another right after it", async () => {
  const { clock, probes, reachability } = bench([undefined, true]);
  const first = reachability.isUp(PLACE, live());
  reachability.hurry(PLACE);
  await clock.advance(10_000);
  expect(await first).toBe(false);
  expect(await reachability.next(PLACE, live())).toBe(true);
  expect(probes).toHaveLength(2);
});

test("an abort ends one's own waiting; with the last one the probe and the timer end too", async () => {
  const { clock, reachability, stopped } = bench([undefined]);
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [one, other].map(({ signal }) => reachability.isUp(PLACE, signal));
  const ends = waiting.map((each) => expect(each).rejects.toThrow("enough"));
  one.abort(new Error("enough"));
  await ends[0];
  expect(stopped()).toBe(0);
  other.abort(new Error("enough"));
  await ends[1];
  expect(stopped()).toBe(1);
  await clock.advance(0);
  expect(clock.timers).toBe(0);
  await expect(reachability.next(PLACE, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

test("a real port is up while something listens there, and down when nothing does", async () => {
  const line = await Line.open();
  const reachability = new Reachability({ clock: new FakeClock(), everyMs: 1 });
  const place = { host: "127.0.0.1", port: line.port };
  expect(await reachability.isUp(place, live())).toBe(true);
  expect(line.connections).toBe(1);
  await line.down();
  expect(await reachability.isUp(place, live())).toBe(false);
  expect(await reachability.isUp({ host: "no-such-host.invalid", port: 1 }, live())).toBe(false);
});
