import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { expect, onTestFinished, test } from "vitest";
import { makeEvent } from "../../src/messages/event.ts";
import { createApp, onlyRun, serveRun } from "../../src/server/index.ts";
import { readLog } from "../../src/workbench/event-reader.ts";
import { type ServedStage, serveStage } from "./served-run.ts";
import { SseClient } from "./sse-client.ts";

const say = (text: string) => makeEvent("task", text, { type: "notice", code: "test" });
const END = makeEvent("task", "achieved", { type: "run-end", outcome: "achieved", exitCode: 0 });

/** A run behind the control API on a real port; gives the address of its events. */
async function onPort(): Promise<{ readonly served: ServedStage; readonly events: string; readonly sockets: readonly Socket[] }> {
  const served = serveStage([]);
  const app = createApp({ runs: onlyRun(served.run) });
  const options = { fetch: (request: Request) => app.fetch(request), overrideGlobalObjects: false };
  const server = createAdaptorServer(options) as Server; // without TLS options it is this one
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await served.stage.runtime.books.open();
  const { port } = server.address() as AddressInfo;
  return { served, events: `http://127.0.0.1:${port}/runs/${served.run.id}/events`, sockets };
}

async function logOf({ stage }: ServedStage): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { line } of readLog(stage.runtime.books.eventsPath)) lines.push(line);
  return lines;
}

const dataOf = ({ messages }: SseClient) => messages.flatMap(({ id, data }) => (id === undefined ? [] : [data]));

test("a client that reads nothing holds nobody up and costs no memory; when it reads at last, it gets everything", async () => {
  const { served, events, sockets } = await onPort();
  const { runtime } = served.stage;
  const slow = await SseClient.connect(events);
  const quick = await SseClient.connect(events);
  const quickReads = quick.readUntil();
  const filler = "x".repeat(1_000);
  for (let n = 1; n <= 40_000; n++) {
    runtime.publish(say(`${n} ${filler}`)); // synchronous: it could not wait for a client if it wanted to
    if (n % 500 === 0) await runtime.books.flush();
  }
  runtime.publish(END);
  await quickReads; // while the slow one has not taken a byte
  expect(quick.messages.at(-1)?.event).toBe("end");
  expect(slow.messages).toEqual([]);
  const [toSlow = 0, toQuick = 0] = sockets.map((socket) => socket.bytesWritten); // with what waits in memory
  expect(toQuick).toBeGreaterThan(40_000_000);
  expect(toSlow).toBeLessThan(toQuick / 2); // what the system's buffers hold
  await slow.readUntil();
  const log = await logOf(served);
  expect(dataOf(slow)).toHaveLength(40_001);
  expect(dataOf(slow)).toEqual(log);
  expect(dataOf(quick)).toEqual(log);
});

test("of fifty clients on one run each gets every event in order, also those that are cut and come back", async () => {
  const { served, events } = await onPort();
  const { runtime } = served.stage;
  runtime.publish(say("before anybody came"));
  const clients = await Promise.all(Array.from({ length: 50 }, () => SseClient.connect(events)));
  const reading = clients.map(async (client, index) => {
    if (index % 5 > 0) return client.readUntil().then(() => dataOf(client));
    await client.readUntil(({ id }) => id === String(10 + index));
    client.cut();
    const again = await SseClient.connect(events, client.lastId);
    await again.readUntil();
    return [...dataOf(client), ...dataOf(again)];
  });
  for (let n = 1; n <= 300; n++) {
    runtime.publish(say(`${n}`));
    if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve)); // let clients come in between
  }
  runtime.publish(END);
  const seen = await Promise.all(reading);
  const log = await logOf(served);
  expect(log).toHaveLength(302);
  for (const each of seen) expect(each).toEqual(log);
});

test("kinds that nobody knows and facts that cannot be JSON go over the wire as one message each", async () => {
  const { served, events } = await onPort();
  const { runtime } = served.stage;
  const cyclic: Record<string, unknown> = { big: 10n, text: "a\n\ndata: forged\u2028\u0000" };
  cyclic["self"] = cyclic;
  const client = await SseClient.connect(events);
  for (const [kind, payload] of [
    ["hologram", { depth: 3 }],
    ["text", cyclic],
    ["tool_call", null],
    ["task", { type: "hologram" }],
    ["id: 99\nevent: end", {}],
  ] as const) {
    runtime.publish({ kind, text: "event: end\n\nid: 7\r\n", tool: "", payload } as never); // what the types forbid
  }
  runtime.publish(END);
  await client.readUntil();
  expect(client.messages.map(({ id, event }) => id ?? event)).toEqual(["1", "2", "3", "4", "5", "6", "end"]);
  expect(dataOf(client)).toEqual(await logOf(served));
  expect(JSON.parse(dataOf(client)[0] ?? "")).toMatchObject({ kind: "hologram", payload: { depth: 3 } });
  expect(await (await served.get("")).json()).toMatchObject({ state: "ended", lastSeq: 6 });
});

test("a run whose questions wait for ever is not served: behind HTTP nobody may ever come", () => {
  const { stage, channel } = serveStage([]);
  expect(channel.timeoutMs).toBeNull();
  expect(() => serveRun({ runtime: stage.runtime, channel })).toThrowError(expect.objectContaining({ code: "bad-config" }));
});
