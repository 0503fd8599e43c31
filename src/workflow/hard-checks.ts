import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import { clip } from "../messages/event.ts";
import { ClippedOutput } from "../tools/builtin/clipped-output.ts";
import { commandEnvironment, type Environment } from "../tools/builtin/environment.ts";
import { signalGroup } from "../tools/builtin/group-life.ts";
import type { CommandEnd } from "../tools/builtin/process-group.ts";
import type { Check } from "../workbench/check.ts";
import { matchInTime } from "./timed-match.ts";

/** What came of one check's command. */
export interface HardCheckResult {
  /** The check's number in the goal, from 1. */
  readonly number: number;
  readonly ok: boolean;
  /** The command, its exit code, what was expected and not seen, and the output's beginning and end. */
  readonly evidence: string;
}

export interface HardCheckOptions {
  /** Absolute: where a check's command runs. */
  readonly workspaceOf: (check: Check) => string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Why a command must not be run without a person's consent, or undefined: a model wrote it. */
  readonly refuses: (command: string, workspace: string) => Promise<string | undefined>;
  /** Told of a command that was not run. */
  readonly onRefused: (command: string, reason: string) => void;
  /** Milliseconds for each command. Default 60,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const OUTPUT_CHARS = 100_000;
const SHOWN_CHARS = 1_200;

/**
 * Runs the commands of a goal's checks, one after the other, each in its workspace. Checks without a command, and those whose command
 * may not be run, give no result: the judge has to look.
 */
export async function runHardChecks(checks: readonly Check[], options: HardCheckOptions): Promise<readonly HardCheckResult[]> {
  const results: HardCheckResult[] = [];
  for (const [index, check] of checks.entries()) {
    options.signal.throwIfAborted();
    if (check.command === undefined) continue;
    const reason = await options.refuses(check.command, options.workspaceOf(check));
    if (reason === undefined) results.push(await runHardCheck(check, check.command, index + 1, options));
    else options.onRefused(check.command, reason);
  }
  return results;
}

async function runHardCheck(check: Check, command: string, number: number, options: HardCheckOptions): Promise<HardCheckResult> {
  const { runInGroup } = await import("../tools/builtin/process-group.ts");
  const workspace = options.workspaceOf(check);
  const output = new ClippedOutput(OUTPUT_CHARS);
  const end = await runInGroup(command, {
    cwd: workspace,
    env: commandEnvironment(options.env),
    clock: options.clock ?? systemClock,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal: options.signal,
    onOutput: (chunk) => output.add(chunk.toString("utf8")),
    onStart: () => {},
    onGone: () => {},
  });
  if (end.background !== undefined) signalGroup(end.background, "SIGKILL"); // a check leaves nothing running
  options.signal.throwIfAborted();
  const text = output.toString();
  const problems = [...exitProblems(check, end), ...outputProblems(check, text), ...(await fileProblems(check, workspace))];
  return { number, ok: problems.length === 0, evidence: describe(command, end, problems, text) };
}

function exitProblems(check: Check, end: CommandEnd): readonly string[] {
  if (end.stopped === "timeout") return ["it did not end in time"];
  const expected = check.expect?.exit ?? 0;
  return end.exitCode === expected ? [] : [`expected exit ${expected}`];
}

function outputProblems(check: Check, text: string): readonly string[] {
  const missing = (check.expect?.stdoutContains ?? [])
    .filter((part) => !text.includes(part))
    .map((part) => `the output lacks ${JSON.stringify(part)}`);
  const pattern = check.expect?.stdoutMatches;
  const found = pattern === undefined ? true : matchInTime(pattern, text);
  if (found === "too long") missing.push(`the pattern took too long: ${pattern}`);
  if (found === false) missing.push(`the output does not match ${pattern}`);
  return missing;
}

async function fileProblems(check: Check, workspace: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of check.expect?.creates ?? []) {
    const found = await stat(resolve(workspace, path)).catch(() => undefined);
    if (!found) problems.push(`${path} was not made`);
  }
  return problems;
}

function describe(command: string, end: CommandEnd, problems: readonly string[], output: string): string {
  const how = end.stopped === "timeout" ? "stopped" : end.exitCode === null ? `ended by ${end.signal}` : `exit ${end.exitCode}`;
  const lines = [`$ ${command}`, `${how}${problems.length > 0 ? `: ${problems.join("; ")}` : ""}`];
  if (output.trim() !== "") lines.push(shorten(output.trimEnd()));
  return lines.join("\n");
}

function shorten(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  return `${clip(text, SHOWN_CHARS / 2)}\n…\n${text.slice(-SHOWN_CHARS / 2)}`;
}
