import { serve } from "@hono/node-server";
import { FlowerError, isFlowerError, Runtime, starterFlow } from "flower-agents";
import { serveRun } from "flower-agents/server";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { scriptedJob } from "./scripted-job.ts";

const workspace = process.argv[2] ?? ".";
const flow = starterFlow("A file that greets", { workspace, timeoutMs: 600_000 }); // null, for ever, would be refused
const runtime = new Runtime({ workspace, workbench: flow.workbench, engine: scriptedJob() });
const run = serveRun({ runtime, channel: flow.channel });

const app = new Hono().use(csrf()); // forms of other sites are refused
app.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  const code = isFlowerError(error) ? error.code : "unknown";
  return c.json({ code }, code === "bad-input" || code === "not-found" ? 400 : 500);
});

/** Events by number, from the log on disk: however late a client comes back, it misses nothing. */
app.get("/events", async (c) => c.json(await run.page({ after: c.req.query("after"), limit: 100 })));

/** The questions that wait now, and everything else about where the run is. */
app.get("/state", async (c) => c.json(await run.state()));

/** `{ ok: false }`: this question waits no longer. */
app.post("/asks/:id/answer", async (c) => {
  const body = await c.req.json<{ text?: unknown } | null>().catch(() => null);
  if (typeof body?.text !== "string") throw new FlowerError("bad-input", 'The body must be JSON with a "text".');
  return c.json({ ok: await run.answer(c.req.param("id"), body.text) });
});

app.post("/asks/:id/decline", async (c) => c.json({ ok: await run.decline(c.req.param("id")) }));

const port = Number(process.env["PORT"] ?? 0);
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (address) => console.log(JSON.stringify(address)));
process.on("SIGTERM", () => server.close(() => void runtime.close()));
await flow.run(runtime);
