import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { onTestFinished } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { type Script, ScriptedEngine } from "../../src/engines/scripted.ts";

/** A real TCP port that can go down and come up again. */
export class Line {
  readonly port: number;
  /** Connections that came about. */
  connections = 0;
  /** Model calls that found no line. */
  lost = 0;
  #server: Server | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async open(): Promise<Line> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const line = new Line((server.address() as AddressInfo).port);
    server.close();
    await once(server, "close");
    await line.up();
    onTestFinished(() => line.down());
    return line;
  }

  async up(): Promise<void> {
    const server = createServer((socket) => {
      this.connections++;
      socket.on("error", () => {}).end();
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    await once(server, "close");
  }

  /** Resolves when a connection comes about. */
  async reached(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(this.port, "127.0.0.1");
      socket.once("connect", () => resolve());
      socket.once("error", reject);
      socket.resume().once("close", () => socket.destroy());
    });
  }

  /** A model at the other end: each call opens a connection first, and is `offline` when none comes about. */
  engine(script: Script): Engine & { readonly scripted: ScriptedEngine } {
    return over(this, new ScriptedEngine(script));
  }
}

function over(line: Line, scripted: ScriptedEngine): Engine & { readonly scripted: ScriptedEngine } {
  return {
    provider: scripted.provider,
    model: scripted.model,
    endpoint: `http://127.0.0.1:${line.port}/v1`,
    scripted,
    async *stream(request, options) {
      await line.reached().catch((cause: unknown) => {
        line.lost++;
        throw new FlowerError("offline", "The model could not be reached.", { cause });
      });
      yield* scripted.stream(request, options);
    },
    withModel: (model) => over(line, scripted.withModel(model)),
  };
}
