import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import { MOST_BODY_BYTES, messageIn, supportRunner, toHttpError } from "./support-runner.ts";

const runner = supportRunner();
const app = new Hono();
app.use(bodyLimit({ maxSize: MOST_BODY_BYTES, onError: (c) => c.json({ code: "bad-input" }, 413) }));
app.onError((error, c) => {
  const { status, code } = toHttpError(error);
  return c.json({ code }, status);
});

app.post("/sessions/:id/turns", async (c) => {
  const message = messageIn(await c.req.text());
  const { content, activeAgentName, handoff } = await runner.run(c.req.param("id"), message, { signal: c.req.raw.signal });
  return c.json({ content, agent: activeAgentName, handoff });
});

/** The same turn as server-sent events: every event of it, text fragments included. */
app.post("/sessions/:id/stream", async (c) => {
  const message = messageIn(await c.req.text());
  const run = runner.stream(c.req.param("id"), message, { deltas: true, signal: c.req.raw.signal });
  return streamSSE(c, async (stream) => {
    for await (const event of run) await stream.writeSSE({ event: event.kind, data: JSON.stringify(event) });
  });
});

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 0), hostname: "127.0.0.1" }, (address) =>
  console.log(JSON.stringify(address)),
);
process.once("SIGTERM", () => server.close(() => void runner.close()));
