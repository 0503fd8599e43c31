import { createServer, type IncomingMessage } from "node:http";
import { MOST_BODY_BYTES, messageIn, parsed, supportRunner, toHttpError } from "./support-runner.ts";

const runner = supportRunner();

const server = createServer(async (request, response) => {
  const id = /^\/sessions\/([^/]+)\/turns$/.exec(request.url ?? "")?.[1];
  if (request.method !== "POST" || id === undefined) return response.writeHead(404).end();
  const left = new AbortController();
  response.on("close", () => left.abort()); // a client that leaves stops its turn; the session stays as it was
  response.setHeader("content-type", "application/json");
  try {
    const session = parsed(() => decodeURIComponent(id));
    const body = await bodyOf(request);
    if (body === undefined) return response.writeHead(413, { connection: "close" }).end(JSON.stringify({ code: "bad-input" }));
    const { content, activeAgentName, handoff } = await runner.run(session, messageIn(body), { signal: left.signal });
    response.end(JSON.stringify({ content, agent: activeAgentName, handoff }));
  } catch (error) {
    const { status, code } = toHttpError(error);
    response.writeHead(status).end(JSON.stringify({ code }));
  }
});

/** Undefined when it is too large; the connection stays open for the answer. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(JSON.stringify(server.address())));
process.once("SIGTERM", () => server.close(() => void runner.close()));
