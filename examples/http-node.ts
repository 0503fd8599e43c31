import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { supportRunner, toHttpError } from "./support-runner.ts";

const runner = supportRunner();

const server = createServer(async (request, response) => {
  const id = /^\/sessions\/([^/]+)\/turns$/.exec(request.url ?? "")?.[1];
  if (request.method !== "POST" || id === undefined) return response.writeHead(404).end();
  const left = new AbortController();
  response.on("close", () => left.abort()); // a client that leaves stops its turn; the session stays as it was
  response.setHeader("content-type", "application/json");
  try {
    const { content, activeAgentName, handoff } = await runner.run(decodeURIComponent(id), await messageOf(request), {
      signal: left.signal,
    });
    response.end(JSON.stringify({ content, agent: activeAgentName, handoff }));
  } catch (error) {
    const { status, code } = toHttpError(error);
    response.writeHead(status).end(JSON.stringify({ code }));
  }
});

async function messageOf(request: IncomingMessage): Promise<string> {
  const { message } = JSON.parse(await text(request)) as { message: string };
  return message;
}

server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(JSON.stringify(server.address())));
process.once("SIGTERM", () => server.close(() => void runner.close()));
