import { expect, test } from "vitest";
import { makeEvent } from "../../src/messages/event.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openBench, worker } from "./bench.ts";

const say = (text: string) => makeEvent("task", text, { type: "notice", code: "test" });
const END = makeEvent("task", "achieved", { type: "run-end", outcome: "achieved", exitCode: 0 });

async function texts(runtime: Runtime, after?: string | number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of runtime.events({ after })) found.push(event.text);
  return found;
}

test("readers from any place get each event once, before, during and after the run, and end with it", async () => {
  const { runtime, clock } = openBench([]);
  const early = texts(runtime);
  await runtime.books.open();
  for (let n = 1; n <= 5; n++) runtime.publish(say(`${n}`));
  await clock.advance(50);
  const late = texts(runtime, 3);
  for (let n = 6; n <= 9; n++) runtime.publish(say(`${n}`));
  await clock.advance(50);
  runtime.publish(END);
  await clock.advance(50);
  const whole = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "achieved"];
  expect(await early).toEqual(whole);
  expect(await late).toEqual(whole.slice(3));
  expect(await texts(runtime, `${runtime.runId}:9`)).toEqual(["achieved"]);
});

test("without a workflow there is no run-end, and closing the Runtime ends its readers", async () => {
  const bench = openBench(["done"]);
  const reading = texts(bench.runtime);
  await bench.finish(bench.runtime.run(worker(), "go"));
  await bench.finish(bench.runtime.close());
  expect(await reading).toContain("done");
});

test("a Runtime that is closed before it ran has no events", async () => {
  const { runtime } = openBench([]);
  const reading = [texts(runtime), texts(runtime, "other:3").catch((error: Error) => error.message)];
  await runtime.close();
  expect(await Promise.all(reading)).toEqual([[], expect.stringContaining("other")]);
});

test("a reader that never reads on does not hold the run up", async () => {
  const { runtime, clock, finish } = openBench([]);
  await runtime.books.open();
  const reader = runtime.events();
  const first = reader.next();
  for (let n = 1; n <= 1_000; n++) runtime.publish(say(`${n}`));
  await clock.advance(50);
  expect((await first).value?.text).toBe("1");
  await finish(runtime.close());
  expect((await reader.next()).value?.text).toBe("2");
  await reader.return();
});

test("a cursor of the run before replays the rest of it, then goes on in this one", async () => {
  const first = openBench([]);
  await first.runtime.books.open();
  for (const text of ["a", "b", "c"]) first.runtime.publish(say(text));
  await first.runtime.close();
  const { runtime, clock } = openBench([], {}, first.folder);
  const reading = texts(runtime, `${first.runtime.runId}:1`);
  runtime.books.earlier = [first.runtime.runId];
  await runtime.books.open();
  runtime.publish(say("d"));
  runtime.publish(END);
  await clock.advance(50);
  expect(await reading).toEqual(["b", "c", "d", "achieved"]);
});

test("an abort ends a reader quietly; what is no cursor is refused", async () => {
  const { runtime } = openBench([]);
  const stop = new AbortController();
  const next = runtime.events({ signal: stop.signal }).next();
  const foreign = runtime.events({ after: "other:1", signal: stop.signal }).next();
  stop.abort();
  expect((await next).done).toBe(true);
  expect((await foreign).done).toBe(true);
  await expect(runtime.events({ after: "x" }).next()).rejects.toMatchObject({ code: "bad-input" });
});
