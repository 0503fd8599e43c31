import fc from "fast-check";
import { expect, test } from "vitest";
import { Queue } from "../../src/core/queue.ts";

async function drain<T>(queue: Queue<T>): Promise<T[]> {
  const got: T[] = [];
  for (let item = await queue.next(); item !== undefined; item = await queue.next()) got.push(item);
  return got;
}

test("every item comes once, in order, however pushes and reads interleave", async () => {
  const steps = fc.array(fc.oneof(fc.record({ push: fc.integer() }), fc.constant("wait" as const)), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const queue = new Queue<number>();
      const reading = drain(queue);
      const pushed: number[] = [];
      for (const step of script) {
        if (step === "wait") await new Promise((resolve) => setImmediate(resolve));
        else {
          pushed.push(step.push);
          queue.push(step.push);
        }
      }
      queue.end();
      expect(await reading).toEqual(pushed);
    }),
    { numRuns: 60 },
  );
});

test("a failure comes after the items that were there before it", async () => {
  const queue = new Queue<number>();
  queue.push(1);
  queue.push(2);
  queue.end({ error: new Error("cut") });
  expect(await queue.next()).toBe(1);
  expect(await queue.next()).toBe(2);
  await expect(queue.next()).rejects.toThrow("cut");
  await expect(queue.next()).rejects.toThrow("cut");
});

test("a failure of undefined is a failure, not an end", async () => {
  const queue = new Queue<number>();
  queue.end({ error: undefined });
  await expect(queue.next()).rejects.toBeUndefined();
});

test("the first end counts, and nothing comes in after it", async () => {
  const queue = new Queue<number>();
  queue.end();
  queue.end({ error: new Error("too late") });
  queue.push(1);
  expect(await queue.next()).toBeUndefined();
});

test("a waiting reader is woken by an item, and by the end", async () => {
  const queue = new Queue<string>();
  const first = queue.next();
  queue.push("a");
  expect(await first).toBe("a");
  const second = queue.next();
  queue.end();
  expect(await second).toBeUndefined();
});

test("whoever waits until it is drained goes on when the last item is taken, or when the queue ends", async () => {
  const queue = new Queue<number>();
  const passed: string[] = [];
  const wait = (name: string) => queue.drained().then(() => void passed.push(name));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await wait("empty");
  queue.push(1);
  queue.push(2);
  const waiting = wait("taken");
  await queue.next();
  await settle();
  expect(passed).toEqual(["empty"]);
  await queue.next();
  await waiting;
  queue.push(3);
  const left = wait("ended");
  await settle();
  expect(passed).toEqual(["empty", "taken"]);
  queue.end();
  await left;
  expect(await queue.next()).toBe(3);
});
