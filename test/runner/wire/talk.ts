import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Engine, EngineRequest } from "../../../src/engines/engine.ts";
import type { ScriptedAnswer } from "../../../src/engines/scripted.ts";
import type { Body, Said } from "./body.ts";
import type { WireFormat } from "./providers.ts";

/** A provider's server that says what it is told to, and keeps the bodies of the requests. */
export interface Talk extends AsyncDisposable {
  readonly format: WireFormat;
  readonly bodies: Body[];
  /** The provider's real engine, whose model answers by this function. */
  engine(model: (request: EngineRequest) => ScriptedAnswer | Promise<ScriptedAnswer>): Engine;
}

export async function talkTo(format: WireFormat): Promise<Talk> {
  const bodies: Body[] = [];
  let next: Said = { text: "ok" };
  const server = createServer(async (request, response) => {
    bodies.push((await json(request)) as Body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(format.say(next).map(toEvent).join(""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const real = format.engine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    format,
    bodies,
    engine: (model) => ({
      ...real,
      async *stream(request, options) {
        next = toSaid(await model(request));
        yield* real.stream(request, options);
      },
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function toEvent(event: object): string {
  if ("done" in event) return "data: [DONE]\n\n";
  return `${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

function toSaid(answer: ScriptedAnswer): Said {
  if (answer instanceof Error) throw answer;
  return typeof answer === "string" ? { text: answer } : answer;
}
