import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, checkSchemaType, type OptionKinds } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { type Schema, type SchemaInput, toSchema } from "../core/schema.ts";
import type { Engine, EngineSettings } from "../engines/engine.ts";
import type { CallGuard } from "../tools/call.ts";
import { isTool, type Tool } from "../tools/tool.ts";
import { permissionProblem } from "./permission-form.ts";

/** What instructions given as a function can see. */
export interface InstructionContext {
  readonly sessionId: string;
  readonly agent: string;
  readonly metadata: JsonObject;
}

export type Instructions = string | ((context: InstructionContext) => string | Promise<string>);

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions";

/** Rules by tool and pattern, e.g. `Bash(git push:*)`, `Read(src/**)`, `WebFetch`. Deny beats ask beats allow. */
export interface Permissions {
  /** Default "default": reads are free, writes and commands are asked about unless allowed. */
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface AgentLimits {
  /** Model calls in one turn or query. */
  readonly maxIterations?: number;
  /** US dollars in one turn or query. */
  readonly maxBudgetUsd?: number;
  readonly timeoutMs?: number;
}

/** Tools that a backend brings: they work in the run's workspace. */
export const BUILTIN_TOOL_NAMES = ["Read", "Write", "Edit", "Bash", "Glob", "Grep"] as const;
export type BuiltinToolName = (typeof BUILTIN_TOOL_NAMES)[number];

export interface AgentOptions {
  readonly name: string;
  /** The system prompt, or a function that makes it for each turn. Default "". */
  readonly instructions?: Instructions;
  /** `provider/model` or a bare model id. */
  readonly model?: string;
  readonly engine?: Engine;
  /** Tools made with `tool()`, and names of built-in ones (`"Read"`, `"Bash"` …), which a Runtime's backend brings. */
  readonly tools?: readonly (Tool | BuiltinToolName)[];
  /** Agents this one may hand the conversation to; names are resolved by the Runner, so that cycles can be written. */
  readonly handoffs?: readonly (Agent | string)[];
  /** Agents this one may start as subagents (Runtime). */
  readonly subagents?: readonly Agent[];
  readonly permissions?: Permissions;
  readonly limits?: AgentLimits;
  /** The form of the final answer; its parsed value is `response.output`. */
  readonly outputSchema?: SchemaInput;
  readonly settings?: EngineSettings;
  /** Checks before and after each tool call, in order. */
  readonly guards?: readonly CallGuard[];
}

const AGENT_OPTIONS: OptionKinds<AgentOptions> = {
  name: "any",
  instructions: "any",
  model: "any",
  engine: "any",
  tools: "any",
  handoffs: "any",
  subagents: "any",
  permissions: "any",
  limits: "any",
  outputSchema: "any",
  settings: "any",
  guards: "any",
};
const LIMITS: OptionKinds<AgentLimits> = { maxIterations: "count", maxBudgetUsd: "amount", timeoutMs: "ms" };

/** The one declaration of an agent, for Runner and Runtime alike: a frozen value, checked when made. */
export class Agent {
  readonly name: string;
  readonly instructions: Instructions;
  readonly model?: string;
  readonly engine?: Engine;
  readonly tools: readonly (Tool | BuiltinToolName)[];
  readonly handoffs: readonly (Agent | string)[];
  readonly subagents: readonly Agent[];
  readonly permissions: Permissions;
  readonly limits: AgentLimits;
  readonly output?: Schema;
  readonly settings: EngineSettings;
  readonly guards: readonly CallGuard[];
  readonly #options: AgentOptions;

  /**
   * Throws `bad-config`, naming the culprit, for an empty name, an unknown option, a duplicate tool, a handoff to itself or to
   * nothing, or a permission rule that could never match.
   */
  constructor(options: AgentOptions) {
    checkOptions("Agent", options, AGENT_OPTIONS);
    if (options.limits !== undefined) checkOptions(`Agent "${options.name}": limits`, options.limits, LIMITS);
    this.#options = options;
    this.name = options.name;
    this.instructions = options.instructions ?? "";
    if (options.model !== undefined) this.model = options.model;
    if (options.engine !== undefined) this.engine = options.engine;
    this.tools = Object.freeze([...(options.tools ?? [])]);
    this.handoffs = Object.freeze([...(options.handoffs ?? [])]);
    this.subagents = Object.freeze([...(options.subagents ?? [])]);
    this.permissions = Object.freeze({ ...options.permissions });
    this.limits = Object.freeze({ ...options.limits });
    if (options.outputSchema !== undefined) this.output = toSchema(options.outputSchema, `Agent "${options.name}" outputSchema`);
    if (this.output) checkSchemaType(`Agent "${options.name}" outputSchema`, this.output.json);
    this.settings = Object.freeze({ ...options.settings });
    this.guards = Object.freeze([...(options.guards ?? [])]);
    checkAgent(this);
    brand(this, "agent");
    Object.freeze(this);
  }

  /** The same agent with some options changed. */
  with(changes: Partial<AgentOptions>): Agent {
    return new Agent({ ...this.#options, ...changes });
  }
}

export function isAgent(value: unknown): value is Agent {
  return hasBrand(value, "agent");
}

function toolName(item: Tool | BuiltinToolName): string | undefined {
  if (typeof item === "string") return BUILTIN_TOOL_NAMES.find((name) => name === item);
  return isTool(item) ? item.name : undefined;
}

/** Names of the tools that an agent's permissions can be about: its own, and those of the agents that it leads to. */
function reachableTools(agent: Agent): readonly string[] {
  const further = [...agent.handoffs, ...agent.subagents].flatMap((one) => (isAgent(one) ? reachableTools(one) : []));
  return [...agent.tools.flatMap((item) => toolName(item) ?? []), ...further];
}

function bad(message: string): FlowerError {
  return new FlowerError("bad-config", message);
}

function checkAgent(agent: Agent): void {
  if (typeof agent.name !== "string" || agent.name.trim() === "") throw bad("An agent needs a name that is not empty.");
  const seen = new Set<string>();
  for (const item of agent.tools) {
    const name = toolName(item);
    if (name === undefined) {
      throw bad(`Agent "${agent.name}": ${String(item)} is no tool. Use tool({ … }) or one of: ${BUILTIN_TOOL_NAMES.join(", ")}.`);
    }
    if (seen.has(name)) throw bad(`Agent "${agent.name}" has two tools named "${name}".`);
    seen.add(name);
  }
  for (const target of agent.handoffs) {
    if (typeof target !== "string" && !isAgent(target)) {
      throw bad(`Agent "${agent.name}": the handoff to ${String(target)} leads to no agent. In a cycle, write the other agent's name.`);
    }
    const name = typeof target === "string" ? target : target.name;
    if (name === agent.name) throw bad(`Agent "${agent.name}" cannot hand off to itself.`);
  }
  const problem = permissionProblem(agent.permissions, [...BUILTIN_TOOL_NAMES, ...reachableTools(agent)]);
  if (problem !== undefined) throw bad(`Agent "${agent.name}": ${problem}`);
}
