import { createHash } from "node:crypto";
import type { Tool as McpTool } from "@modelcontextprotocol/sdk/types.js";
import { type FlowerError, messageOf, toFlowerError } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, tool, toolOutput } from "../tool.ts";
import { McpConnection } from "./connection.ts";
import { toToolResult } from "./content.ts";
import type { AskPerson } from "./elicitation.ts";
import type { McpServer } from "./server-options.ts";

export interface ConnectMcpOptions {
  /** Asks a person what a server wants to know. Without it servers are told that nobody can be asked. */
  readonly ask?: AskPerson;
}

/** What could not be had from a server: all of it, or one tool. */
export interface McpFailure {
  readonly server: string;
  readonly tool?: string;
  readonly error: FlowerError;
}

/** The tools of MCP servers, as tools of ours. */
export interface McpTools extends AsyncDisposable {
  /** Named `mcp__<server>__<tool>`. */
  readonly tools: readonly Tool[];
  readonly failures: readonly McpFailure[];
  close(): Promise<void>;
}

/**
 * Connects to all servers at once and takes over their tools. A server that cannot be reached takes nothing from the others: it
 * is in `failures`. A server that goes later is connected anew with the next call.
 */
export async function connectMcp(servers: Readonly<Record<string, McpServer>>, options: ConnectMcpOptions = {}): Promise<McpTools> {
  const connections = Object.entries(servers).map(([name, server]) => new McpConnection(name, server, options.ask));
  const failures: McpFailure[] = [];
  const lists = await Promise.all(
    connections.map(async (connection) => {
      try {
        return toTools(connection, await connection.listTools(), failures);
      } catch (error) {
        failures.push({ server: connection.name, error: toFlowerError(error, "unknown") });
        await connection.close().catch(() => {});
        return [];
      }
    }),
  );
  const close = async () => void (await Promise.allSettled(connections.map((connection) => connection.close())));
  return { tools: lists.flat(), failures, close, [Symbol.asyncDispose]: close };
}

function toTools(connection: McpConnection, offered: readonly McpTool[], failures: McpFailure[]): readonly Tool[] {
  return offered.flatMap((one) => {
    try {
      return [toTool(connection, one)];
    } catch (error) {
      failures.push({ server: connection.name, tool: one.name, error: toFlowerError(error, "unknown") });
      return [];
    }
  });
}

function toTool(connection: McpConnection, { name, description, inputSchema, annotations }: McpTool): Tool {
  const isSafe = annotations?.readOnlyHint === true;
  return tool({
    name: toolName(connection.name, name),
    description: description ?? annotations?.title ?? name,
    parameters: inputSchema as JsonSchema,
    idempotent: isSafe || annotations?.idempotentHint === true,
    parallel: isSafe,
    timeoutMs: A_DAY_MS, // the connection has its own, which progress renews
    async execute(args, { signal }) {
      try {
        return toToolResult(await connection.call(name, args, signal));
      } catch (error) {
        signal.throwIfAborted();
        return toolOutput(`The MCP server "${connection.name}" failed: ${messageOf(error)}`, { isError: true });
      }
    },
  });
}

const MOST_LETTERS = 64;
const A_DAY_MS = 86_400_000;

/** Letters that providers refuse are replaced; a name that is too long, or was changed, keeps its identity by a hash. */
function toolName(server: string, name: string): string {
  const full = `mcp__${server}__${name}`;
  const clean = full.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (clean === full && full.length <= MOST_LETTERS) return full;
  const hash = createHash("sha256").update(full).digest("hex").slice(0, 6);
  return `${clean.slice(0, MOST_LETTERS - 7)}_${hash}`;
}
