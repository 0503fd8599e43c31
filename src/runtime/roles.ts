import { Agent, type AgentOptions, type BuiltinToolName } from "../agents/agent.ts";
import { FlowerError } from "../core/errors.ts";
import { WORKER_PERMISSIONS } from "../guards/permission.ts";
import { whitelistGuard } from "../guards/whitelist.ts";
import type { Tool } from "../tools/tool.ts";
import {
  CLARIFIER_RULES,
  COORDINATOR_RULES,
  GENERAL_RULES,
  GOAL_SETTER_RULES,
  JUDGE_RULES,
  ORACLE_RULES,
  WORKER_RULES,
} from "./role-rules.ts";

export interface RoleOptions extends Partial<Pick<AgentOptions, "name" | "description" | "model" | "engine" | "limits" | "settings">> {
  /** Tools beside the role's own: those of a human channel, and the one it decides with. */
  readonly tools?: readonly Tool[];
  /** Appended to the role's rules. */
  readonly instructions?: string;
}

/** What a role that only decides may look at before it must: far more than it needs. */
const MOST_LOOKS = 100;

/** Finds out what is wanted; reads, asks, never works. */
export function clarifier(options: RoleOptions = {}): Agent {
  return readOnlyRole("clarifier", CLARIFIER_RULES, ["Read", "Glob", "Grep", "WebFetch"], options);
}

/** Turns a brief into a checklist that can be judged. With `canRun` it may run commands to look around. */
export function goalSetter(options: RoleOptions & { readonly canRun?: boolean } = {}): Agent {
  return readOnlyRole("goal-setter", GOAL_SETTER_RULES, lookingTools(options.canRun), options);
}

/** Decides whether the goal is reached; did none of the work. With `canRun` it may run commands. */
export function judge(options: RoleOptions & { readonly canRun?: boolean } = {}): Agent {
  return readOnlyRole("judge", JUDGE_RULES, lookingTools(options.canRun), options);
}

/** Answers a side question about a run from its events and documents; reads, says when it does not know, gives no orders. */
export function oracle(options: RoleOptions = {}): Agent {
  const limits = { maxIterations: 12, maxBudgetUsd: 0.5, ...options.limits };
  return readOnlyRole("oracle", ORACLE_RULES, ["Read", "Glob", "Grep"], { ...options, limits });
}

export interface CoordinatorOptions extends RoleOptions {
  /** Who does the work. Default: one `worker()` with the same model. */
  readonly subagents?: readonly Agent[];
}

/**
 * Splits work up, hands it to subagents, side by side where it can, and decides by their reports. It writes nothing itself, and of
 * commands it may run those that only look. Throws `bad-config` without anybody to hand work to.
 */
export function coordinator(options: CoordinatorOptions = {}): Agent {
  const { subagents = [worker(voice(options))], tools: own = [] } = options;
  const name = options.name ?? "coordinator";
  if (subagents.length === 0)
    throw new FlowerError("bad-config", `The coordinator "${name}" has nobody to hand work to: give it subagents.`);
  const builtins = ["Agent", "TodoWrite", "Read", "Bash"] as const;
  return new Agent({
    ...settings(options),
    name,
    instructions: rules(COORDINATOR_RULES, options),
    tools: [...builtins, ...own],
    subagents,
    permissions: { mode: "delegate" },
    guards: [whitelistGuard([...builtins, ...own.map((item) => item.name)])],
  });
}

/** Does the work: inside the workspace without asking; outside it, and for irreversible commands, it asks. */
export function worker(options: RoleOptions = {}): Agent {
  return new Agent({
    ...settings(options),
    name: options.name ?? "worker",
    description: options.description ?? "Does a task in the workspace: reads, writes, runs commands, fetches pages.",
    instructions: rules(WORKER_RULES, options),
    tools: [...WORKER_TOOLS, ...(options.tools ?? [])],
    permissions: WORKER_PERMISSIONS,
  });
}

const WORKER_TOOLS = ["Read", "Write", "Edit", "Bash", "BashOutput", "KillShell", "Glob", "Grep", "WebFetch", "TodoWrite"] as const;

function lookingTools(canRun: boolean | undefined): readonly BuiltinToolName[] {
  return canRun ? ["Read", "Glob", "Grep", "Bash"] : ["Read", "Glob", "Grep"];
}

/** Whitelist means whitelist: a tool that is not listed is denied, whatever it is. */
function readOnlyRole(name: string, text: string, builtins: readonly BuiltinToolName[], options: RoleOptions): Agent {
  const own = options.tools ?? [];
  return new Agent({
    ...settings(options),
    limits: { maxIterations: MOST_LOOKS, ...options.limits },
    name: options.name ?? name,
    instructions: rules(text, options),
    tools: [...builtins, ...own],
    permissions: builtins.includes("Bash") ? WORKER_PERMISSIONS : { mode: "plan", allow: builtins.filter((name) => name === "WebFetch") },
    guards: [whitelistGuard([...builtins, ...own.map((item) => item.name)])],
  });
}

function rules(role: string, options: RoleOptions): string {
  return [GENERAL_RULES, role, options.instructions ?? ""].filter((text) => text !== "").join("\n\n");
}

/** Whose words an agent speaks with. */
function voice({ model, engine, settings: given }: RoleOptions): RoleOptions {
  return { model, engine, settings: given };
}

function settings(options: RoleOptions): Partial<AgentOptions> {
  const { description, model, engine, limits, settings: given } = options;
  return { description, model, engine, limits, settings: given };
}
