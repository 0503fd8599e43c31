import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FlowerError, messageOf } from "../../core/errors.ts";
import { CallLimits } from "./call-limits.ts";
import { type AskPerson, elicit } from "./elicitation.ts";
import type { McpServer } from "./server-options.ts";

const CONNECT_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 120_000;
const STDERR_CHARS = 2_000;

/** The connection to one server: made when it is first needed, and made anew when the server has gone. */
export class McpConnection {
  readonly name: string;
  readonly #server: McpServer;
  readonly #ask: AskPerson | undefined;
  readonly #limits: CallLimits;
  #client: Promise<Client> | undefined;
  #stderr = "";

  constructor(name: string, server: McpServer, ask: AskPerson | undefined, clock: Clock = systemClock) {
    this.name = name;
    this.#server = server;
    this.#ask = ask;
    this.#limits = new CallLimits(server.timeoutMs ?? CALL_TIMEOUT_MS, clock);
  }

  /** Every tool that the server offers. */
  async listTools(): Promise<readonly McpTool[]> {
    const client = await this.#connected();
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: this.#connectTimeout });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const client = await this.#connected();
    const result = await this.#limits.hold(signal, (options) => client.callTool({ name: tool, arguments: args }, undefined, options));
    return result as CallToolResult; // the other form is of a protocol version that is not spoken here
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.close();
  }

  get #connectTimeout(): number {
    return this.#server.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  }

  #connected(): Promise<Client> {
    if (!this.#client) {
      const connecting = this.#connect();
      this.#client = connecting;
      connecting.catch(() => {
        if (this.#client === connecting) this.#client = undefined;
      });
    }
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const [{ Client }, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    const ask = this.#ask;
    const client = new Client({ name: "flower-agents", version: "0.1.0" }, { capabilities: ask ? { elicitation: {} } : {} });
    if (ask) {
      client.setRequestHandler(types.ElicitRequestSchema, async ({ params }) =>
        "requestedSchema" in params ? this.#limits.whileAsking(() => elicit(this.name, params, ask)) : { action: "cancel" },
      );
    }
    this.#stderr = "";
    try {
      await client.connect(await this.#transport(), { timeout: this.#connectTimeout });
    } catch (error) {
      await client.close().catch(() => {});
      const said = this.#stderr.trim() === "" ? "" : ` It said: ${this.#stderr.trim()}`;
      throw new FlowerError("unknown", `The MCP server "${this.name}" cannot be reached: ${messageOf(error)}.${said}`, { cause: error });
    }
    client.onclose = () => {
      this.#client = undefined; // the next call connects anew
    };
    return client;
  }

  async #transport(): Promise<Transport> {
    const server = this.#server;
    if ("url" in server) {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } }) as Transport;
    }
    const { StdioClientTransport, getDefaultEnvironment } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const transport = new StdioClientTransport({
      command: server.command,
      args: [...(server.args ?? [])],
      env: { ...getDefaultEnvironment(), ...server.env },
      stderr: "pipe",
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    });
    transport.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.toString("utf8")}`.slice(-STDERR_CHARS);
    });
    return transport;
  }
}
