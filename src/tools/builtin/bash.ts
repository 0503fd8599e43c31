import { abortReason } from "../../core/abort.ts";
import { toInstant } from "../../core/clock.ts";
import { hasCode } from "../../core/files.ts";
import type { JsonSchema } from "../../core/schema.ts";
import { type Tool, type ToolContext, type ToolOutput, tool, toolOutput } from "../tool.ts";
import { ClippedOutput } from "./clipped-output.ts";
import { commandEnvironment } from "./environment.ts";
import { type CommandEnd, runInGroup } from "./process-group.ts";
import { refusal } from "./refusal.ts";
import type { Toolset } from "./toolset.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MOST_TIMEOUT_MS = 600_000;
const MOST_CHARS = 30_000;

const DESCRIPTION = `Runs a command with bash, in the workspace, and gives its output (standard output and error together).
- Each call is a shell of its own: \`cd\` and variables do not last; chain with && what belongs together.
- Nobody sits at a terminal: pass flags that answer prompts, use no pagers or editors.
- Time limit ${DEFAULT_TIMEOUT_MS} ms, up to ${MOST_TIMEOUT_MS} by timeout; then the command and its children are killed.
- A server, a watcher or anything that takes long: run_in_background.
- Of more than ${MOST_CHARS} characters of output the head and the tail are shown.
- For files use Read, Write, Edit, Glob and Grep rather than cat, sed, find and grep.`;

const PARAMETERS = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1, description: "The command to run" },
    description: { type: "string", description: "What it does, in 5 to 10 words" },
    run_in_background: { type: "boolean", description: "Do not wait for it; see it with BashOutput, end it with KillShell" },
    timeout: { type: "integer", minimum: 1, maximum: MOST_TIMEOUT_MS, description: "Time limit in milliseconds" },
  },
  required: ["command"],
} satisfies JsonSchema;

interface BashArgs {
  readonly command: string;
  readonly timeout?: number;
  readonly run_in_background?: boolean;
}

/** Runs commands in process groups of their own, with a time limit, bounded output and no credentials in the environment. */
export function bashTool(toolset: Toolset): Tool {
  return tool({
    name: "Bash",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    timeoutMs: MOST_TIMEOUT_MS + 10_000,
    parallel: false,
    execute: (args, context) => runBash(args as unknown as BashArgs, toolset, context),
  });
}

async function runBash(args: BashArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  if (args.command.includes("\0")) return refusal("The command holds a NUL character.");
  context.signal.throwIfAborted();
  try {
    return await (args.run_in_background === true ? startJob(args.command, toolset) : runCommand(args, toolset, context));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR"))
      return refusal(`bash could not be started in ${toolset.options.workspace}: one of the two is missing.`);
    if (hasCode(error, "E2BIG")) return refusal("The command is too long. Put what it holds into a file first.");
    throw error;
  }
}

async function startJob(command: string, toolset: Toolset): Promise<ToolOutput> {
  const { id, path } = await toolset.jobs.start(command, environmentOf(toolset));
  return toolOutput(`Started in the background as ${id}. Its output goes to ${path}; BashOutput gives what is new. It ends with the run.`);
}

// A shell without its owner's PATH is of no use, hence the one default that reads the environment.
function environmentOf({ options }: Toolset): Record<string, string> {
  return commandEnvironment(options.env ?? process.env, options.passEnv);
}

async function runCommand(args: BashArgs, toolset: Toolset, context: ToolContext): Promise<ToolOutput> {
  const { options, clock } = toolset;
  const timeoutMs = Math.min(args.timeout ?? DEFAULT_TIMEOUT_MS, MOST_TIMEOUT_MS);
  const output = new ClippedOutput(MOST_CHARS);
  const decoder = new TextDecoder();
  const end = await runInGroup(args.command, {
    cwd: options.workspace,
    env: environmentOf(toolset),
    clock,
    timeoutMs,
    signal: context.signal,
    onOutput: (chunk) => output.add(decoder.decode(chunk, { stream: true })),
    onStart: (pid) => options.onProcess?.({ pid, startedAt: toInstant(clock.now()), command: args.command }),
    onGone: (pid) => options.onProcessEnd?.(pid),
  });
  output.add(decoder.decode());
  if (context.signal.aborted) throw abortReason(context.signal);
  return toolOutput(describe(output, end, timeoutMs), { isError: end.exitCode !== 0 });
}

function describe(output: ClippedOutput, end: CommandEnd, timeoutMs: number): string {
  const text = output.toString().trimEnd();
  const notes: string[] = [];
  if (end.stopped === "timeout") {
    notes.push(
      `Stopped after ${timeoutMs / 1000} s, with all its children. Set a longer timeout (up to ${MOST_TIMEOUT_MS} ms) or do less at once.`,
    );
  } else if (end.signal !== null) {
    notes.push(`Ended by ${end.signal}.`);
  } else if (end.exitCode !== 0) {
    notes.push(`Exit code ${end.exitCode}`);
  }
  if (end.background !== undefined) {
    notes.push(
      `Started in the background and still running: process group ${end.background} (to end it: kill -- -${end.background}). Later output is not kept.`,
    );
  }
  if (text === "" && notes.length === 0) return "(no output)";
  return [text, ...notes].filter((part) => part !== "").join("\n\n");
}
