import { FlowerError } from "../core/errors.ts";
import type { ToolSpec } from "../engines/engine.ts";
import { type Tool, tool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";

/** What an agent can call, prepared once: schemas are never converted in a turn. */
export interface AgentKit {
  readonly specs: readonly ToolSpec[];
  /** `specs` without the transfer tools. */
  readonly specsWithoutTransfers: readonly ToolSpec[];
  readonly tools: ReadonlyMap<string, Tool>;
  /** Transfer tool name → the agent it leads to. */
  readonly transfers: ReadonlyMap<string, Agent>;
}

/**
 * All agents that can be reached from the starting one, by name. Cycles are allowed (write the name instead of the agent).
 * Throws `bad-config`, naming the culprit, for two different agents of one name, an unknown name, or two handoffs whose names
 * give the same tool name.
 */
export class AgentGraph {
  readonly #agents = new Map<string, Agent>();
  readonly #kits = new Map<Agent, AgentKit>();

  constructor(start: Agent) {
    this.add(start);
    for (const agent of this.#agents.values()) this.kit(agent);
  }

  /** Adds an agent and all that it can reach, or, when it throws, nothing. Names it hands off to must be known by the time it is asked. */
  add(agent: Agent): void {
    const added = new Map<string, Agent>();
    this.#reach(agent, added);
    for (const [name, one] of added) this.#agents.set(name, one);
    try {
      for (const one of added.values()) if (this.#knowsAll(one)) this.kit(one);
    } catch (error) {
      for (const name of added.keys()) this.#agents.delete(name);
      throw error;
    }
  }

  #reach(agent: Agent, added: Map<string, Agent>): void {
    const known = added.get(agent.name) ?? this.#agents.get(agent.name);
    if (known === agent) return;
    if (known) throw new FlowerError("bad-config", `Two different agents are named "${agent.name}". Names must be unique.`);
    added.set(agent.name, agent);
    for (const target of agent.handoffs) if (typeof target !== "string") this.#reach(target, added);
  }

  #knowsAll(agent: Agent): boolean {
    return agent.handoffs.every((target) => typeof target !== "string" || this.#agents.has(target));
  }

  get(name: string): Agent | undefined {
    return this.#agents.get(name);
  }

  get agents(): ReadonlyMap<string, Agent> {
    return this.#agents;
  }

  kit(agent: Agent): AgentKit {
    let kit = this.#kits.get(agent);
    if (!kit) {
      kit = this.#makeKit(agent);
      this.#kits.set(agent, kit);
    }
    return kit;
  }

  #makeKit(agent: Agent): AgentKit {
    const transfers = new Map<string, Agent>();
    const own = agent.tools.map((item) => toTool(item, agent));
    const specs = own.map(toSpec);
    const tools = new Map(own.map((item) => [item.name, item]));
    for (const entry of agent.handoffs) {
      const target = typeof entry === "string" ? this.#agents.get(entry) : entry;
      if (!target) {
        throw new FlowerError(
          "bad-config",
          `Agent "${agent.name}" hands off to "${String(entry)}", which is not known. Register it first.`,
        );
      }
      const made = transferTool(target);
      if (transfers.has(made.name) || tools.has(made.name)) {
        throw new FlowerError(
          "bad-config",
          `Agent "${agent.name}": the handoff to "${target.name}" needs the tool name "${made.name}", which is taken.`,
        );
      }
      transfers.set(made.name, target);
      specs.push(toSpec(made));
    }
    return { specs, specsWithoutTransfers: specs.slice(0, own.length), tools, transfers };
  }
}

function toTool(item: Tool | string, agent: Agent): Tool {
  if (typeof item !== "string") return item;
  throw new FlowerError(
    "bad-config",
    `Agent "${agent.name}": the built-in tool "${item}" works in a workspace; run the agent with a Runtime.`,
  );
}

function toSpec(item: Tool): ToolSpec {
  return { name: item.name, description: item.description, parameters: item.parameters.json };
}

function transferTool(target: Agent): Tool {
  return tool({
    name: `transfer_to_${slug(target.name)}`,
    description: `Hands the conversation over to the agent "${target.name}", who answers from then on.`,
    parameters: {
      type: "object",
      properties: { reason: { type: "string", description: "Why, in one sentence." } },
      additionalProperties: false,
    },
    execute: () => undefined,
  });
}

/** A name as it stands in a tool name: lower case, letters and digits of any script made ASCII, the rest `_`. */
function slug(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, (run) => (/^[\s\p{Punctuation}\p{Symbol}]+$/u.test(run) ? "_" : codePoints(run)))
    .replace(/^_+|_+$/g, "");
  return (ascii === "" ? "agent" : ascii).slice(0, 48);
}

function codePoints(run: string): string {
  return [...run].map((char) => (/[\s\p{Punctuation}\p{Symbol}]/u.test(char) ? "_" : `u${char.codePointAt(0)?.toString(16)}`)).join("");
}
