import type { Agent, BuiltinToolName } from "../../agents/agent.ts";
import type { Tool } from "../../tools/tool.ts";

/** The built-in tools that the CLI has under the same names. Its commands all run in the foreground, and it keeps no list of tasks. */
export const CLI_TOOLS: readonly BuiltinToolName[] = ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "WebFetch", "Agent"];

/** The server of tools that name none themselves. */
const OWN_SERVER = "flower";

/**
 * Names of tools on both sides. Built-in ones have the same; ours the CLI knows as `mcp__server__tool`: those of the program are
 * `mcp__flower__…`, one that is called `mcp__human__ask` keeps its name.
 */
export class ToolNames {
  readonly #byTool = new Map<Tool, string>();
  readonly #byName = new Map<string, Tool>();
  readonly #servers = new Map<string, Map<string, Tool>>();

  constructor(agents: readonly Agent[]) {
    for (const { tools } of agents) {
      for (const item of tools) if (typeof item !== "string") this.#add(item);
    }
  }

  /** Our tools by server, then by their name there. */
  get servers(): ReadonlyMap<string, ReadonlyMap<string, Tool>> {
    return this.#servers;
  }

  /** What the CLI offers an agent, without the tool that starts subagents. */
  offered(agent: Agent): readonly string[] {
    return agent.tools.flatMap((item) => {
      if (typeof item !== "string") return [this.#byTool.get(item) ?? item.name];
      return item !== "Agent" && CLI_TOOLS.includes(item) ? [item] : [];
    });
  }

  toOurs(name: string): string {
    return this.#byName.get(name)?.name ?? name;
  }

  /** Our tool of that name of the CLI's. */
  own(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  #add(item: Tool): void {
    if (this.#byTool.has(item)) return;
    const [, server = OWN_SERVER, tool = item.name] = /^mcp__(.+?)__(.+)$/.exec(item.name) ?? [];
    const free = this.#freeServer(server, tool);
    const tools = this.#servers.get(free) ?? new Map<string, Tool>();
    tools.set(tool, item);
    this.#servers.set(free, tools);
    this.#byTool.set(item, `mcp__${free}__${tool}`);
    this.#byName.set(`mcp__${free}__${tool}`, item);
  }

  /** Two agents may have different tools of the same name. */
  #freeServer(server: string, tool: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? server : `${server}-${number}`;
      if (!this.#servers.get(name)?.has(tool)) return name;
    }
  }
}
