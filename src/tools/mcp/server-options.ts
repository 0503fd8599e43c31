import { FlowerError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { fillIn, type Variables } from "./variables.ts";

/** A program that speaks MCP over its standard input and output. */
export interface McpProgram {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that are safe to inherit (PATH, HOME …). */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A service that speaks MCP over streamable HTTP. */
export interface McpService {
  readonly url: string;
  /** E.g. `{ authorization: "Bearer …" }`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One MCP server of the user's. */
export type McpServer = (McpProgram | McpService) & {
  /** Milliseconds for one call, renewed by its progress. Default 120,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for the first contact. Default 30,000. */
  readonly connectTimeoutMs?: number;
};

const KEYS = ["command", "args", "env", "cwd", "url", "headers", "timeoutMs", "connectTimeoutMs", "type"];

/**
 * Reads servers from data, e.g. a file's `mcpServers`. With `variables`, `${NAME}` and `${NAME:-default}` in command, args, env, url
 * and headers are replaced by them; without, texts are taken as they stand. Throws `bad-config` that names the server and what is
 * wrong, also for a variable that has neither value nor default.
 */
export function readMcpServers(data: unknown, source: string, variables?: Variables): Readonly<Record<string, McpServer>> {
  const servers = isRecord(data) && isRecord(data["mcpServers"]) ? data["mcpServers"] : data;
  if (!isRecord(servers)) throw bad(`${source} must hold an object of servers: { "mcpServers": { "name": { "command": … } } }.`);
  return Object.fromEntries(
    Object.entries(servers).map(([name, written]) => {
      const server =
        variables === undefined
          ? written
          : filledIn(written, variables, (problem) => bad(`${source}: the MCP server "${name}" ${problem}`));
      const problem = serverProblem(server);
      if (problem !== undefined) throw bad(`${source}: the MCP server "${name}" ${problem}`);
      return [name, server as McpServer]; // checked
    }),
  );
}

function filledIn(server: unknown, variables: Variables, bad: (problem: string) => FlowerError): unknown {
  const missing = new Set<string>();
  const filled = fillIn(server, variables, (name) => missing.add(name));
  const [first] = missing;
  if (first === undefined) return filled;
  throw bad(`needs what is not set in the environment: ${[...missing].join(", ")}. Set it, or write a default: \${${first}:-…}.`);
}

function serverProblem(server: unknown): string | undefined {
  if (!isRecord(server)) return "must be an object with a command or a url.";
  const { command, url, args, env, headers } = server;
  if ((command === undefined) === (url === undefined)) return "needs either a command (a program) or a url (a service).";
  if (command !== undefined && (typeof command !== "string" || command.trim() === "")) return "has a command that is no text.";
  if (url !== undefined && !(typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    return "has a url that is no http address.";
  if (args !== undefined && !(Array.isArray(args) && args.every((item) => typeof item === "string")))
    return "has args that are no list of texts.";
  for (const [key, map] of Object.entries({ env, headers })) {
    if (map !== undefined && !(isRecord(map) && Object.values(map).every((item) => typeof item === "string")))
      return `has ${key} whose values are not all texts.`;
  }
  const unknown = Object.keys(server).find((key) => !KEYS.includes(key));
  return unknown === undefined ? undefined : `has an unknown option "${unknown}". Known: ${KEYS.join(", ")}.`;
}

function bad(message: string): FlowerError {
  return new FlowerError("bad-config", message);
}
