import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came over the wire. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

export interface WireServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** How many connections were opened. */
  readonly connections: number;
  /** Resolves when a client has dropped its connection before the answer was complete. */
  readonly dropped: Promise<void>;
}

export type Answer = (response: ServerResponse, request: WireRequest) => void | Promise<void>;

/** A real HTTP server that answers every request the same way and keeps what came. */
export async function serve(answer: Answer): Promise<WireServer> {
  const requests: WireRequest[] = [];
  let onDropped = () => {};
  const dropped = new Promise<void>((resolve) => {
    onDropped = resolve;
  });
  const server = createServer(async (request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) onDropped();
    });
    const seen = { path: request.url ?? "", headers: request.headers, body: await readJson(request) };
    requests.push(seen);
    await answer(response, seen);
  });
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    dropped,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown>;
}

/** A stream of server-sent events, ended as told: properly, by breaking the connection, or not at all. */
export function events(list: readonly object[], end: "close" | "destroy" | "hang" = "close"): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = list.map((event) => ("done" in event ? "data: [DONE]\n\n" : sse(event))).join("");
    if (end === "close") response.end(text);
    else response.write(text, () => end === "destroy" && setImmediate(() => response.destroy()));
  };
}

function sse(event: object): string {
  const type = "type" in event ? `event: ${event.type}\n` : "";
  return `${type}data: ${JSON.stringify(event)}\n\n`;
}

/** An HTTP error with a JSON body. */
export function failure(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An address where nothing listens: a port that was free a moment ago. */
export async function closedAddress(): Promise<string> {
  const server = await serve(() => {});
  await server[Symbol.asyncDispose]();
  return server.url;
}
