import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { type ModelScript, type ModelServer, serveModel } from "./model-server.ts";
import { askFirst, bash, isAccepted, REQUEST, read, smallJob, verdict } from "./small-job.ts";

/** More of them for an hour of searching. */
const SEEDS = [1];
const KILLS = 8;

/** Appends a line at a time and looks how many there are; reports too early, and goes on when the judge has sent it back. */
const worker: ModelScript = (view) => {
  const lines = Number(/lines=(\d+)/.exec(view.news.join())?.[1] ?? 0);
  const wanted = view.texts.join().includes("The goal is not reached yet") ? 6 : 3;
  return lines >= wanted
    ? { text: `There are ${lines} lines.` }
    : bash("echo Hello >> greeting.txt; echo lines=$(grep -c Hello greeting.txt)");
};

const judge: ModelScript = (view) => {
  if (isAccepted(view)) return { text: "The verdict is in." };
  return view.news.length === 0 ? read("greeting.txt") : verdict(view.news.join().split("Hello").length > 6 ? "passed" : "failed");
};

/** The moments come from a seed; what happens at them depends on the machine, and all of it must be survived. */
test.each(SEEDS)("killed at any moment, again and again, it finishes in the end and every document is whole (seed %i)", async (seed) => {
  const random = randomFrom(seed);
  const server = await serveModel(smallJob({ clarifier: askFirst, worker, judge }));
  const folder = await newFolder();
  const options = { cwd: folder, env: server.env() };
  const books = new Books(folder);
  for (let kill = 0; kill < KILLS; kill++) {
    const running = await startFlower([REQUEST], options);
    const moment = requestsFrom(server, 1 + Math.floor(random() * 3)).then(() => sleep(random() * 80));
    await Promise.race([moment, running.ended]);
    await running.kill();
    await books.expectWhole();
  }
  const { code, stdout } = await flower([REQUEST], options);
  expect(code, stdout).toBe(0);
  await books.expectWhole();
  expect((await books.lineage()).outcome).toBe("achieved");
  expect((await books.read("greeting.txt")).split("Hello").length).toBeGreaterThan(6);
});

/** Resolves when so many more requests have come. */
async function requestsFrom(server: ModelServer, more: number): Promise<void> {
  const enough = server.requests.length + more;
  while (server.requests.length < enough) await server.nextRequest();
}

/** mulberry32: the same seed gives the same numbers. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
