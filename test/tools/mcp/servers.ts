import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Json } from "../../../src/core/json.ts";
import { runCall } from "../../../src/tools/call.ts";
import { type ConnectMcpOptions, connectMcp } from "../../../src/tools/mcp/connect.ts";
import type { McpServer } from "../../../src/tools/mcp/server-options.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { toolContext } from "../tool-bench.ts";

const require = createRequire(import.meta.url);
const distOf = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "dist");

/** The reference server with a tool of every kind. */
export const everything: McpServer = {
  command: process.execPath,
  args: [join(distOf("@modelcontextprotocol/server-everything"), "index.js"), "stdio"],
};

/** The reference server that reads and writes files below a folder. */
export function filesystem(folder: string): McpServer {
  return { command: process.execPath, args: [join(distOf("@modelcontextprotocol/server-filesystem"), "index.js"), folder] };
}

/** The first, over streamable HTTP. */
export async function everythingOverHttp(): Promise<McpServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(distOf("@modelcontextprotocol/server-everything"), "index.js"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => chunk.toString().includes("listening") && resolve());
    child.once("exit", () => reject(new Error("the server ended")));
  });
  return { url: `http://127.0.0.1:${port}/mcp` };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Connected servers, closed after the test. */
export async function connect(servers: Readonly<Record<string, McpServer>>, options: ConnectMcpOptions = {}) {
  const hub = await connectMcp(servers, options);
  onTestFinished(() => hub.close());
  const call = (name: string, args: Json, context: Partial<ToolContext> = {}) => {
    const found = hub.tools.find((tool) => tool.name === name);
    if (!found) throw new Error(`no tool ${name} among ${hub.tools.map((tool) => tool.name).join(", ")}`);
    return runCall({ type: "call", callId: "c", name, args }, found, toolContext(context));
  };
  return { ...hub, names: hub.tools.map((tool) => tool.name), call };
}

/** Its one tool, `book`, asks the person for a city and a number of nights. */
export const trips: McpServer = { command: process.execPath, args: [join(import.meta.dirname, "asking-server.mjs")] };
