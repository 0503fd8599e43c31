import { expect, test } from "vitest";
import { readLog } from "../../src/workbench/event-reader.ts";
import { type Message, SseClient } from "../server/sse-client.ts";
import { type Service, startService } from "./programs.ts";

const isQuestion = ({ data }: Message) => data?.includes('"state":"asked"') ?? false;

/** The log on disk, line for line: what every client must have seen. */
async function logOf({ workspace }: Service, run: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { line } of readLog(`${workspace}/runs/${run}/events.jsonl`)) lines.push(line);
  return lines;
}

const seen = (client: SseClient) => client.messages.filter((message) => message.id !== undefined).map((message) => message.data);
const runOf = (client: SseClient) => client.lastId?.split(":")[0] ?? "";

test("a client whose line is cut in mid-run comes back with its last id: it misses nothing and sees nothing twice", async () => {
  const service = await startService("web-sse");
  const client = await SseClient.connect(`${service.base}/events`);
  await client.readUntil(isQuestion);
  client.cut();
  expect(await service.post("/asks/q1/answer", { text: "Hello" })).toEqual({ ok: true });
  expect(await service.post("/asks/q1/answer", { text: "Good day" })).toEqual({ ok: false });
  let last = client;
  const all = [...seen(client)];
  for (let cuts = 0; last.messages.at(-1)?.event !== "end"; cuts++) {
    last = await SseClient.connect(`${service.base}/events`, last.lastId ?? runOf(client));
    await last.readUntil(({ event }) => cuts < 5 || event === "end"); // cut five times more, after the first message
    last.cut();
    all.push(...seen(last));
  }
  expect(all).toEqual(await logOf(service, runOf(client)));
  expect(JSON.parse(all.at(-1) ?? "")).toMatchObject({ kind: "task", payload: { type: "run-end", outcome: "achieved" } });
});

test("of two clients each sees everything, and an answer of one settles the question for both", async () => {
  const service = await startService("web-sse");
  const clients = await Promise.all([1, 2].map(() => SseClient.connect(`${service.base}/events`)));
  await Promise.all(clients.map((client) => client.readUntil(isQuestion)));
  const answers = await Promise.all(["Hello", "Good day"].map((text) => service.post("/asks/q1/answer", { text })));
  expect(answers).toEqual(expect.arrayContaining([{ ok: true }, { ok: false }]));
  await Promise.all(clients.map((client) => client.readUntil()));
  const log = await logOf(service, runOf(clients[0] as SseClient));
  for (const client of clients) {
    expect(seen(client)).toEqual(log);
    expect(client.messages.filter(({ data }) => data?.includes('"state":"answered"'))).toHaveLength(1);
  }
});

test("the page speaks to routes that are there, an interrupt is received, and forms of other sites are refused", async () => {
  const service = await startService("web-sse");
  const page = await (await fetch(service.base)).text();
  expect(page).toContain('new EventSource("/events")');
  const client = await SseClient.connect(`${service.base}/events`);
  await client.readUntil(isQuestion);
  expect(await service.post("/mail", { text: "in English" })).toEqual({ id: "m1" });
  const receipt = (await service.post("/interrupt", { text: "and short" })) as { amended: string };
  expect(receipt.amended).toContain("brief.md");
  for (const body of ["{", "null", "{}"]) {
    const broken = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect((await fetch(`${service.base}/mail`, broken)).status).toBe(400);
  }
  const form = { method: "POST", headers: { origin: "http://evil.test", "content-type": "text/plain" }, body: '{"text":"x"}' };
  expect((await fetch(`${service.base}/asks/q1/answer`, form)).status).toBe(403);
  service.child.kill("SIGTERM");
  client.cut();
  expect(await service.ended).toBe(0);
});
