import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolOutput, tool, toolOutput } from "../tool.ts";
import type { BackgroundJobs, JobState } from "./background-jobs.ts";
import { refusal } from "./refusal.ts";
import type { Toolset } from "./toolset.ts";

const OUTPUT_PARAMETERS = {
  type: "object",
  properties: {
    bash_id: { type: "string", minLength: 1, description: "The id that Bash gave" },
    filter: { type: "string", description: "A regular expression: only lines that match are given; the others are passed over for good" },
  },
  required: ["bash_id"],
} satisfies JsonSchema;

const KILL_PARAMETERS = {
  type: "object",
  properties: { shell_id: { type: "string", minLength: 1, description: "The id that Bash gave" } },
  required: ["shell_id"],
} satisfies JsonSchema;

/** BashOutput: what a background command wrote since the last look, and whether it still runs. */
export function bashOutputTool({ jobs }: Toolset): Tool {
  return tool({
    name: "BashOutput",
    description: "Gives what a background command has written since you last looked, and whether it still runs.",
    parameters: OUTPUT_PARAMETERS,
    parallel: false,
    execute: (args) => output(args as unknown as { readonly bash_id: string; readonly filter?: string }, jobs),
  });
}

/** KillShell: ends a background command with all its children. */
export function killShellTool({ jobs }: Toolset): Tool {
  return tool({
    name: "KillShell",
    description: "Ends a background command and everything it started.",
    parameters: KILL_PARAMETERS,
    idempotent: true,
    async execute(args) {
      const id = (args as unknown as { readonly shell_id: string }).shell_id;
      const state = await jobs.kill(id);
      return state ? toolOutput(`${describe(state)} Its output: ${state.path}`) : unknownJob(id, jobs);
    },
  });
}

async function output(
  { bash_id: id, filter }: { readonly bash_id: string; readonly filter?: string },
  jobs: BackgroundJobs,
): Promise<ToolOutput> {
  const pattern = toPattern(filter);
  if (pattern === "invalid") return refusal(`${JSON.stringify(filter)} is no regular expression.`);
  const fresh = await jobs.readNew(id);
  const state = jobs.state(id); // after the reading: what it says last is not missed
  if (!fresh || !state) return unknownJob(id, jobs);
  const lines = fresh.text.split("\n").filter((line) => pattern?.test(line) ?? true);
  const text = lines.join("\n").trimEnd();
  const skipped = fresh.skipped > 0 ? `[${fresh.skipped} bytes before this are only in ${state.path}]\n` : "";
  return toolOutput(`${describe(state)}\n\n${skipped}${text === "" ? "(nothing new)" : text}`);
}

function toPattern(filter: string | undefined): RegExp | "invalid" | undefined {
  if (filter === undefined) return undefined;
  try {
    return new RegExp(filter);
  } catch {
    return "invalid";
  }
}

function unknownJob(id: string, jobs: BackgroundJobs): ToolOutput {
  const known = jobs.ids.length === 0 ? "None has been started" : `There are: ${jobs.ids.join(", ")}`;
  return refusal(`There is no background command "${id}". ${known}.`);
}

function describe({ id, status, exitCode }: JobState): string {
  switch (status) {
    case "running":
      return `${id} is running.`;
    case "ended":
      return exitCode === null ? `${id} was ended by a signal.` : `${id} has ended with exit code ${exitCode}.`;
    case "killed":
      return `${id} was ended.`;
    case "too-much-output":
      return `${id} was ended because it wrote more than the disk should bear.`;
    default:
      return status satisfies never;
  }
}
