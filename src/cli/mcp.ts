import { Option } from "commander";
import { FlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import { parseJson } from "../core/json.ts";
import type { HumanChannel } from "../human/channel.ts";
import { type Language, translator } from "../i18n/catalogue.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import type { McpTools } from "../tools/mcp/connect.ts";
import type { AskPerson } from "../tools/mcp/elicitation.ts";
import type { Tool } from "../tools/tool.ts";

export function mcpOption(): Option {
  return new Option("--mcp <file>", "tools of the MCP servers in this JSON file, for whoever does the work; their programs are started");
}

/** The tools of a run's MCP servers. */
export interface RunMcp extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /** What could not be had, for people. */
  readonly notices: readonly Event[];
  /** From now on servers may ask the person of this channel. */
  attach(channel: HumanChannel, signal: AbortSignal): void;
}

/**
 * Connects to the servers of a file that was named; none is ever looked for, since a foreign folder must not start programs. Throws
 * `bad-input` or `bad-config` for a file that is none or holds something else. Without a file there are no tools.
 */
export async function openMcp(file: string | undefined, language: Language): Promise<RunMcp> {
  let ask: AskPerson = async () => "nobody";
  const hub = file === undefined ? undefined : await connect(file, (question, options) => ask(question, options));
  return {
    tools: hub?.tools ?? [],
    notices: (hub?.failures ?? []).map((failure) => toNotice(failure, language)),
    attach(channel, signal) {
      ask = askOver(channel, signal);
    },
    [Symbol.asyncDispose]: async () => hub?.close(),
  };
}

async function connect(file: string, ask: AskPerson): Promise<McpTools> {
  const text = await readText(file);
  if (text === undefined) throw new FlowerError("bad-input", `There is no file ${file} (--mcp).`);
  const { connectMcp, readMcpServers } = await import("../tools/mcp/index.ts");
  return connectMcp(readMcpServers(parseJson(text), file, process.env), { ask });
}

/** A server's question counts as one of the model's, whose call brought it up. */
function askOver(channel: HumanChannel, signal: AbortSignal): AskPerson {
  return async (question, options) => {
    const { state, answer } = await channel.ask(question, { options, signal });
    if (state === "answered") return { answer };
    return state === "declined" ? "declined" : "nobody";
  };
}

function toNotice({ server, tool, error }: McpTools["failures"][number], language: Language): Event {
  const name = tool === undefined ? server : `${server}/${tool}`;
  const text = translator(language)("cli.mcpFailed", { name, reason: error.message });
  return makeEvent("task", text, { type: "notice", code: "mcp-failed", data: { server, ...(tool === undefined ? {} : { tool }) } });
}
