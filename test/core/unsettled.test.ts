import { expect, test } from "vitest";
import { Unsettled } from "../../src/core/unsettled.ts";

/** Work that ends when it is told to. */
function work() {
  let end = (_error?: Error) => {};
  const promise = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  return { promise, end };
}

test("who ends waits for everything that has begun, also for what fails, and not for what begins later", async () => {
  const all = new Unsettled();
  const [one, other, later] = [work(), work(), work()];
  const failing = all.add(one.promise);
  void all.add(other.promise);
  let isOver = false;
  const over = all.settled().then(() => {
    isOver = true;
  });
  void all.add(later.promise);
  one.end(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  expect([isOver, all.size]).toEqual([false, 2]);
  other.end();
  await over;
  expect(all.size).toBe(1);
});
