import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, checkSchemaType, type OptionKinds, shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord, type JsonObject } from "../core/json.ts";
import { type Schema, type SchemaInput, toSchema } from "../core/schema.ts";
import type { Engine, EngineSettings } from "../engines/engine.ts";
import type { CallGuard } from "../tools/call.ts";
import { isTool, type Tool } from "../tools/tool.ts";
import { checkEngine, checkGuards } from "./check-members.ts";
import { permissionProblem } from "./permission-form.ts";

/** What instructions given as a function can see. */
export interface InstructionContext {
  readonly sessionId: string;
  readonly agent: string;
  readonly metadata: JsonObject;
}

export type Instructions = string | ((context: InstructionContext) => string | Promise<string>);

export type PermissionMode = "default" | "acceptEdits" | "plan" | "delegate" | "bypassPermissions";

/** Rules by tool and pattern, e.g. `Bash(git push:*)`, `Read(src/**)`, `WebFetch`. Deny beats ask beats allow. */
export interface Permissions {
  /**
   * Default "default": reads are free, writes and commands are asked about unless allowed. "plan" and "delegate" only look; below
   * "plan" every subagent only looks too, below "delegate" subagents have permissions of their own.
   */
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface AgentLimits {
  /** Model calls in one turn or query. */
  readonly maxIterations?: number;
  /**
   * US dollars in one turn or query: no further model call once they are spent. What models of unknown price cost does not count in
   * a Runtime; a Runner refuses to go on with one.
   */
  readonly maxBudgetUsd?: number;
  /** Milliseconds for one turn or step. */
  readonly timeoutMs?: number;
}

/** Tools that a backend brings: they work in the run's workspace. */
export const BUILTIN_TOOL_NAMES = [
  "Read",
  "Write",
  "Edit",
  "Bash",
  "BashOutput",
  "KillShell",
  "Glob",
  "Grep",
  "WebFetch",
  "TodoWrite",
  "Agent",
] as const;
export type BuiltinToolName = (typeof BUILTIN_TOOL_NAMES)[number];

export interface AgentOptions {
  readonly name: string;
  /** What it is for, in a sentence: read by an agent that may start it as a subagent. */
  readonly description?: string;
  /** The system prompt, or a function that makes it for each turn. Default "". */
  readonly instructions?: Instructions;
  /** `provider/model` or a bare model id. */
  readonly model?: string;
  readonly engine?: Engine;
  /** Tools made with `tool()`, and names of built-in ones (`"Read"`, `"Bash"` …), which a Runtime's backend brings. */
  readonly tools?: readonly (Tool | BuiltinToolName)[];
  /** Agents this one may hand the conversation to; names are resolved by the Runner, so that cycles can be written. */
  readonly handoffs?: readonly (Agent | string)[];
  /**
   * Agents that this one may start with the tool `Agent` (Runtime). With the name `"Agent"` among the tools and none here, it may
   * start copies of itself.
   */
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
  description: "text",
  instructions: "any",
  model: "text",
  engine: "any",
  tools: "list",
  handoffs: "list",
  subagents: "list",
  permissions: "record",
  limits: "any",
  outputSchema: "any",
  settings: "any",
  guards: "list",
};
const SETTINGS: OptionKinds<EngineSettings> = {
  temperature: "amount",
  topP: "amount",
  maxOutputTokens: "count",
  toolChoice: "any",
  stopSequences: "list",
  providerOptions: "record",
};
const LIMITS: OptionKinds<AgentLimits> = { maxIterations: "count", maxBudgetUsd: "amount", timeoutMs: "ms" };

/** The one declaration of an agent, for Runner and Runtime alike: a frozen value, checked when made. */
export class Agent {
  readonly name: string;
  readonly description?: string;
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
   * Throws `bad-config`, naming the culprit, for an empty name, an unknown option or one that cannot hold its value, a duplicate
   * tool, a handoff to itself or to nothing, or a permission rule that could never match.
   */
  constructor(options: AgentOptions) {
    checkOptions("Agent", options, AGENT_OPTIONS);
    checkParts(`Agent "${String(options.name)}"`, options);
    this.#options = options;
    this.name = options.name;
    if (options.description !== undefined) this.description = options.description;
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

/** What can be said of the options one by one. */
function checkParts(owner: string, options: AgentOptions): void {
  const { instructions, limits, settings, subagents } = options;
  if (instructions !== undefined && typeof instructions !== "string" && typeof instructions !== "function") {
    throw bad(`${owner}: instructions must be a text or a function that gives one, not ${shown(instructions)}.`);
  }
  if (limits !== undefined) checkOptions(`${owner}: limits`, limits, LIMITS);
  if (settings !== undefined) {
    checkOptions(`${owner}: settings`, settings, SETTINGS);
    checkToolChoice(owner, settings.toolChoice);
  }
  for (const one of subagents ?? []) if (!isAgent(one)) throw bad(`${owner}: the subagent ${shown(one)} is no agent.`);
  checkEngine(owner, options.engine);
  checkGuards(owner, options.guards);
}

function checkToolChoice(owner: string, choice: unknown): void {
  if (choice === undefined || choice === "auto" || choice === "none" || choice === "required") return;
  if (isRecord(choice) && typeof choice["tool"] === "string") return;
  throw bad(`${owner}: settings.toolChoice must be "auto", "none", "required" or { tool: name }, not ${shown(choice)}.`);
}

function checkAgent(agent: Agent): void {
  if (typeof agent.name !== "string" || agent.name.trim() === "") throw bad("An agent needs a name that is not empty.");
  const seen = new Set<string>();
  for (const item of agent.tools) {
    const name = toolName(item);
    if (name === undefined) {
      throw bad(`Agent "${agent.name}": ${shown(item)} is no tool. Use tool({ … }) or one of: ${BUILTIN_TOOL_NAMES.join(", ")}.`);
    }
    if (seen.has(name)) throw bad(`Agent "${agent.name}" has two tools named "${name}".`);
    seen.add(name);
  }
  const names = agent.subagents.map((one) => one.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw bad(`Agent "${agent.name}" has two subagents named "${twice}".`);
  for (const target of agent.handoffs) {
    if (typeof target !== "string" && !isAgent(target)) {
      throw bad(`Agent "${agent.name}": the handoff to ${shown(target)} leads to no agent. In a cycle, write the other agent's name.`);
    }
    const name = typeof target === "string" ? target : target.name;
    if (name === agent.name) throw bad(`Agent "${agent.name}" cannot hand off to itself.`);
  }
  const problem = permissionProblem(agent.permissions, [...BUILTIN_TOOL_NAMES, ...reachableTools(agent)]);
  if (problem !== undefined) throw bad(`Agent "${agent.name}": ${problem}`);
}
