import type { Agent } from "../../agents/agent.ts";
import { FlowerError } from "../../core/errors.ts";
import { isProviderName } from "../../engines/provider-table.ts";
import { commandEnvironment, type Environment } from "../../tools/builtin/environment.ts";
import type { Crew, Member } from "./crew.ts";
import type { SdkAgent, SdkHookAnswer, SdkHookInput, SdkHookMatcher } from "./sdk.ts";
import { CLI_TOOLS, type ToolNames } from "./tool-names.ts";

/** What the CLI needs for its own work; other credentials of this process do not reach it, nor the commands it runs. */
const OWN_VARIABLE = /^(?:ANTHROPIC|CLAUDE|AWS|GOOGLE|VERTEX|CLOUD_ML|AZURE|HTTPS?_PROXY|https?_proxy)/;

/** Set unless the environment says otherwise. */
const DEFAULTS: Environment = {
  CLAUDE_CODE_MAX_RETRIES: "2", // the Runtime retries, and waits for the network
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1", // one query, one result
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1", // guards read commands as starting in the workspace
  DISABLE_AUTOUPDATER: "1",
  MCP_TOOL_TIMEOUT: "2147483647", // our tools have time limits of their own
  MCP_TOOL_IDLE_TIMEOUT: "2147483647",
};

export function cliEnvironment(env: Environment): Environment {
  const own = Object.keys(env).filter((name) => OWN_VARIABLE.test(name));
  return { ...DEFAULTS, ...commandEnvironment(env, own) };
}

/** The model's id as the CLI takes it; undefined leaves the choice to the CLI. */
export function modelId(agent: Agent): string | undefined {
  const { model } = agent;
  const slash = model?.indexOf("/") ?? -1;
  if (model === undefined || slash < 0) return model;
  const provider = model.slice(0, slash);
  if (provider === "anthropic" || provider === "claude") return model.slice(slash + 1);
  if (!isProviderName(provider)) return model;
  throw new FlowerError(
    "bad-config",
    `Agent "${agent.name}" asks for the model "${model}", which the backend "claude" does not have. Name a Claude model, or none.`,
  );
}

/** The built-in tools that some agent of the query has: the others are not offered to anyone. */
export function builtinTools({ main, below }: Crew): readonly string[] {
  const members = [main, ...below.values()];
  const used = new Set<string>(members.flatMap(({ agent }) => agent.tools.filter((item) => typeof item === "string")));
  if (members.some(({ subagents }) => subagents.length > 0)) used.add("Agent");
  return CLI_TOOLS.filter((name) => used.has(name));
}

export async function subagentDefinitions(
  crew: Crew,
  names: ToolNames,
  instructions: (agent: Agent) => Promise<string>,
): Promise<Readonly<Record<string, SdkAgent>>> {
  const definitions: Record<string, SdkAgent> = {};
  for (const [name, member] of crew.below) definitions[name] = await definition(member, names, instructions);
  return definitions;
}

async function definition(
  { agent, subagents }: Member,
  names: ToolNames,
  instructions: (agent: Agent) => Promise<string>,
): Promise<SdkAgent> {
  const model = modelId(agent);
  const { maxIterations } = agent.limits;
  return {
    description: agent.description ?? `The subagent "${agent.name}".`,
    prompt: await instructions(agent),
    tools: [...names.offered(agent), ...(subagents.length > 0 ? ["Agent"] : [])],
    ...(model === undefined ? {} : { model }),
    ...(maxIterations === undefined || !Number.isFinite(maxIterations) ? {} : { maxTurns: Math.max(1, maxIterations) }),
    background: false,
  };
}

/** A person may take days to answer what a hook asks. */
const HOOK_SECONDS = 2_000_000;

/** One hook that blocks what it guards when it fails. */
export function hook(run: (input: SdkHookInput) => Promise<SdkHookAnswer>): readonly SdkHookMatcher[] {
  return [{ timeout: HOOK_SECONDS, onFailure: "block", hooks: [run] }];
}
