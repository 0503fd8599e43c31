import { expect, test } from "vitest";
import { makeEvent } from "../../src/messages/event.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { serveStage } from "./served-run.ts";

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly comment?: true;
}

const STREAM = { accept: "text/event-stream" };
const say = (text: string) => makeEvent("task", text, { type: "notice", code: "test" }, { raw: { secret: "never" } });
const END = makeEvent("task", "achieved", { type: "run-end", outcome: "achieved", exitCode: 0 });

/** The frames of a stream, one by one. */
async function* frames(response: Response): AsyncGenerator<Frame, void, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield toFrame(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function toFrame(text: string): Frame {
  if (text.startsWith(":")) return { comment: true };
  return Object.fromEntries(text.split("\n").map((line) => line.split(/: (.*)/).slice(0, 2)));
}

async function seqsOf(response: Response): Promise<readonly (string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for await (const frame of frames(response)) if (!frame.comment) ids.push(frame.event ?? frame.id);
  return ids;
}

async function withEvents(count: number) {
  const served = serveStage([]);
  const { runtime } = served.stage;
  await runtime.books.open();
  for (let n = 1; n <= count; n++) runtime.publish(say(`${n}`));
  await runtime.books.flush();
  return served;
}

test("pages of JSON give every event once, each page saying where the next begins", async () => {
  const { get } = await withEvents(7);
  const seen: number[] = [];
  let next = "0";
  for (;;) {
    const page = (await (await get(`/events?after=${next}&limit=3`)).json()) as { events: { seq: number }[]; next: string };
    if (page.events.length === 0) break;
    seen.push(...page.events.map((event) => event.seq));
    next = page.next;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(next).toBe("7");
});

test("a stream replays, goes on live, and ends with the run; each message is the log's line", async () => {
  const { get, stage } = await withEvents(2);
  const response = await get("/events", STREAM);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const reading = seqsOf(response);
  stage.runtime.publish(say("3"));
  stage.runtime.publish(END);
  expect(await reading).toEqual(["1", "2", "3", "4", "end"]);
  const again = await get("/events?after=1", { ...STREAM, "last-event-id": "3" });
  const data: (string | undefined)[] = [];
  for await (const frame of frames(again)) if (frame.id) data.push(frame.data);
  expect(data).toHaveLength(1);
  expect(data[0]).toBe((await stage.log()).map((event) => JSON.stringify(event)).at(-1));
});

test("whoever comes back with the last id misses nothing and gets nothing twice", async () => {
  const { get, stage } = await withEvents(3);
  const first = frames(await get("/events", STREAM));
  const ids: (string | undefined)[] = [];
  for await (const frame of first) {
    if (frame.id) ids.push(frame.id);
    if (frame.id === "2") break; // the connection is lost
  }
  stage.runtime.publish(say("4"));
  stage.runtime.publish(END);
  ids.push(...(await seqsOf(await get("/events", { ...STREAM, "last-event-id": ids.at(-1) ?? "" }))));
  expect(ids).toEqual(["1", "2", "3", "4", "5", "end"]);
});

test("earlier runs of the chain come first, under ids that name them, and can be resumed in", async () => {
  const first = await withEvents(3);
  await first.stage.runtime.close();
  const served = serveStage([], {}, first.stage.folder);
  const { runtime } = served.stage;
  runtime.books.earlier = [first.run.id];
  await runtime.books.open();
  runtime.publish(END);
  await runtime.books.flush();
  const ids = await seqsOf(await served.get(`/events?after=${first.run.id}:1`, STREAM));
  expect(ids).toEqual([`${first.run.id}:2`, `${first.run.id}:3`, "1", "end"]);
});

test("a silent stream says now and then that it is alive, and stops when nobody listens", async () => {
  const clock = new FakeClock();
  const served = serveStage([], { clock, heartbeatMs: 15_000 });
  await served.stage.runtime.books.open();
  const reader = frames(await served.get("/events", STREAM));
  expect((await reader.next()).value).toEqual({ comment: true });
  const beat = reader.next();
  while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(15_000);
  expect((await beat).value).toEqual({ comment: true });
  await reader.return();
  await clock.advance(60_000);
  expect(clock.timers).toBe(0);
});

test("what an event carries beside its data never leaves the process", async () => {
  const { get } = await withEvents(2);
  expect(await (await get("/events")).text()).not.toContain("never");
});
