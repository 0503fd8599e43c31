import { serve } from "@hono/node-server";
import { Runtime, starterFlow } from "flower-agents";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { scriptedJob } from "./scripted-job.ts";

const PAGE = `<!doctype html><meta charset="utf-8"><title>run</title><ol id="log"></ol>
<form><input name="text" autofocus><button>say</button><button value="interrupt">interrupt</button></form>
<script>
  let asked; // the question that waits
  const source = new EventSource("/events");
  source.onmessage = ({ data }) => {
    const { kind, text, tool, payload } = JSON.parse(data);
    if (kind === "ask" && payload.kind === "question") asked = payload.state === "asked" ? payload.id : undefined;
    const line = { text, step: "== " + text, tool_call: tool + " " + text, ask: "? " + text, task: text }[kind];
    if (line) log.appendChild(document.createElement("li")).textContent = line;
  };
  source.addEventListener("end", () => source.close());
  document.forms[0].onsubmit = (submit) => {
    submit.preventDefault();
    const path = submit.submitter.value || (asked ? "asks/" + asked + "/answer" : "mail");
    const body = JSON.stringify({ text: submit.target.text.value });
    fetch("/" + path, { method: "POST", headers: { "content-type": "application/json" }, body });
    submit.target.reset();
  };
</script>`;

const workspace = process.argv[2] ?? ".";
const flow = starterFlow("A file that greets", { workspace });
const runtime = new Runtime({ workspace, workbench: flow.workbench, engine: scriptedJob() });
const app = new Hono().use(csrf()); // forms of other sites are refused

app.get("/", (c) => c.html(PAGE));

/** The log from where the client was, then live: a browser that comes back says by itself what it saw last. */
app.get("/events", (c) =>
  streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    for await (const event of runtime.events({ after: c.req.header("last-event-id"), signal: left.signal })) {
      await stream.writeSSE({ id: `${event.run}:${event.seq}`, data: JSON.stringify(event) });
    }
    await stream.writeSSE({ event: "end", data: "" });
  }),
);

async function textOf(request: Request): Promise<string> {
  const body = (await request.json().catch(() => null)) as { text?: unknown } | null;
  if (typeof body?.text !== "string") throw new HTTPException(400);
  return body.text;
}
app.post("/asks/:id/answer", async (c) => c.json({ ok: flow.channel.answer(c.req.param("id"), await textOf(c.req.raw)) }));
app.post("/mail", async (c) => c.json({ id: (await flow.channel.send(await textOf(c.req.raw))).id }));
app.post("/interrupt", async (c) => c.json(await runtime.interrupt(await textOf(c.req.raw))));

const port = Number(process.env["PORT"] ?? 0);
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (address) => console.log(JSON.stringify(address)));
process.on("SIGTERM", () => server.close(() => void runtime.close()));
await flow.run(runtime);
