import { setMaxListeners } from "node:events";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Event, type LoggedEvent, makeEvent } from "../../src/messages/event.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { type FollowOptions, followEvents, followLog } from "../../src/workbench/event-follower.ts";
import { EventLog } from "../../src/workbench/event-log.ts";
import { readEvents } from "../../src/workbench/event-reader.ts";
import { ended, killHard, printed, startChild } from "./children.ts";
import { newFolder } from "./folder.ts";

const say = (text: string): Event => makeEvent("text", text, { agent: "a", iteration: 1 });
const END = makeEvent("task", "achieved", { type: "run-end", outcome: "achieved", exitCode: 0 });

async function all(events: AsyncIterable<LoggedEvent>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const event of events) seqs.push(event.seq);
  return seqs;
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function setUp() {
  const path = join(newFolder(), "runs", "r", "events.jsonl");
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  onTestFinished(() => stop.abort());
  const follow = (options?: FollowOptions) => followEvents(path, { signal: stop.signal, ...options });
  return { path, stop, follow };
}

describe("across processes", () => {
  test("after a kill every cursor gives exactly the rest, while another process goes on with the log", async () => {
    const { path, follow } = setUp();
    const first = startChild("append-events", path, "1000");
    await printed(first, (text) => text.includes("done"));
    await killHard(first);
    appendFileSync(path, '{"run":"r","seq":1001,"at":"2026-01-01T00:00:00.000Z","kind":"te'); // what a kill may leave
    expect(await all(readEvents(path))).toEqual(numbers(1, 1_000));

    const cursors = [0, 1, 2, 499, 500, 998, 999, 1_000, 1_001, 1_250, 1_500, 1_501];
    const followers = cursors.map((after) => all(follow({ after })));
    const second = startChild("append-events", path, "500", "end");
    expect(await ended(second)).toBe(0);
    expect(await Promise.all(followers)).toEqual(cursors.map((after) => numbers(after + 1, 1_501)));
    for (let after = 0; after <= 1_501; after += 13) expect(await all(follow({ after }))).toEqual(numbers(after + 1, 1_501));
  });

  test("a reader that is slow gets everything, and the writer does not wait for it", async () => {
    const { path, follow } = setUp();
    const events = follow();
    const first = events.next();
    const writer = startChild("append-events", path, "2000", "end");
    expect((await first).value?.seq).toBe(1);
    expect(await ended(writer)).toBe(0);
    expect(await all(events)).toEqual(numbers(2, 2_001));
  });
});

describe("one log", () => {
  test("a log that is not there yet is waited for, also where no change is reported", async () => {
    const clock = new FakeClock();
    const { path, follow } = setUp();
    const next = follow({ clock }).next();
    await clock.advance(10_000);
    const log = EventLog.open(path, { run: "r" });
    log.append(say("a"));
    await log.close();
    let found: IteratorResult<LoggedEvent> | undefined;
    void next.then((result) => {
      found = result;
    });
    while (!found) {
      await clock.advance(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(found.value?.seq).toBe(1);
  });

  test("half a line is never given, not even when something else is written in its place", async () => {
    const { path, follow } = setUp();
    mkdirSync(dirname(path), { recursive: true });
    const line = (seq: number, text: string) => `${JSON.stringify({ run: "r", seq, at: "", kind: "text", text, tool: "", payload: {} })}\n`;
    writeFileSync(path, line(1, "a") + line(2, "will not survive").slice(0, 40));
    const events = follow();
    expect((await events.next()).value?.seq).toBe(1);
    const next = events.next();
    truncateSync(path, line(1, "a").length);
    appendFileSync(path, line(2, "x".repeat(200_000)));
    expect((await next).value?.text).toHaveLength(200_000);
    await events.return();
  });

  test("it ends behind run-end, also when the cursor stands there already", async () => {
    const { path, follow } = setUp();
    const log = EventLog.open(path, { run: "r" });
    log.append(say("a"));
    log.append(END);
    await log.close();
    expect(await all(follow())).toEqual([1, 2]);
    expect(await all(follow({ after: 2 }))).toEqual([]);
    expect(await all(follow({ after: 99 }))).toEqual([]);
  });

  test("it goes on behind a run-end that is not the last event", async () => {
    const { path, follow } = setUp();
    const log = EventLog.open(path, { run: "r" });
    for (const event of [say("a"), END, say("b"), END]) log.append(event);
    await log.close();
    expect(await all(follow())).toEqual([1, 2, 3, 4]);
  });

  test("without run-end it ends when the writer is gone, with all that it wrote", async () => {
    const { path, follow } = setUp();
    const child = startChild("append-events", path, "300");
    await printed(child, (text) => text.includes("done"));
    await killHard(child);
    expect(await all(follow({ isOver: () => true }))).toEqual(numbers(1, 300));
  });

  test("an abort ends it quietly while it waits, and nothing stays behind", async () => {
    const clock = new FakeClock();
    const { path, stop, follow } = setUp();
    EventLog.open(path, { run: "r" }).append(say("a"));
    const seqs = all(follow({ clock }));
    await clock.advance(1_000);
    stop.abort();
    await seqs;
    expect(clock.timers).toBe(0);
  });

  test("lines come byte for byte", async () => {
    const { path } = setUp();
    mkdirSync(dirname(path), { recursive: true });
    const odd = '{"run":"r", "seq":1,"kind":"task","payload":{"2":1,"1":2,"type":"run-end"}}';
    writeFileSync(path, `${odd}\n`);
    for await (const { line } of followLog(path)) expect(line).toBe(odd);
  });
});
