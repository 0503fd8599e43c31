import type { Agent } from "../agents/agent.ts";
import type { EventSink } from "../messages/event.ts";
import type { StepLabel } from "../messages/label.ts";
import { judge, type RoleOptions } from "../runtime/roles.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { Tool } from "../tools/tool.ts";
import type { Goal } from "../workbench/goal-document.ts";
import { documentTool, HandedIn } from "./document-tools.ts";
import type { HardCheckResult } from "./hard-checks.ts";
import { StepAbort } from "./step.ts";
import type { JudgeReport } from "./verdict.ts";

const VERDICT_SCHEMA = {
  type: "object",
  properties: {
    checks: {
      type: "array",
      items: {
        type: "object",
        properties: {
          number: { type: "integer", minimum: 1, description: "The check's number." },
          state: { enum: ["passed", "failed", "unverifiable"] },
          evidence: { type: "string", description: "A path with a quote, or a command with its output; for failed: what is missing." },
        },
        required: ["number", "state", "evidence"],
        additionalProperties: false,
      },
    },
    reason: { type: "string", description: "The verdict in one or two sentences." },
    impossible: { type: "string", description: "Only if another round would not help: why." },
  },
  required: ["checks", "reason"],
  additionalProperties: false,
} as const;

export interface JudgeOptions {
  /** Replaces the judge; it gets the verdict tool. */
  readonly agent?: Agent;
  /** Appended to the judge's rules. */
  readonly instructions?: string;
  /** Let the judge run commands. Its verdict is harder then, and it could change what it judges. */
  readonly canRun?: boolean;
  readonly role?: RoleOptions;
}

export interface JudgeInput {
  readonly runtime: Runtime;
  readonly goal: Goal;
  readonly hardChecks: readonly HardCheckResult[];
  /** The worker's last report: a claim. */
  readonly claim: string;
  readonly label: StepLabel;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: EventSink | undefined;
  readonly options: JudgeOptions;
  /** Tools beside its own: to ask the person. */
  readonly tools: readonly Tool[];
}

/**
 * Has the work judged in a fresh session. Undefined when no report came after one re-ask: that is no verdict. Throws
 * `StepAbort` when the judge could not run at all.
 */
export async function judgeWork(input: JudgeInput): Promise<JudgeReport | undefined> {
  const { runtime, options } = input;
  const reports = new HandedIn<JudgeReport>();
  const verdictTool = documentTool<JudgeReport>({
    name: "verdict",
    description: "Hands in the verdict: for every check its state and the evidence for it.",
    parameters: VERDICT_SCHEMA,
    read: (args) => readReport(args, input.goal),
    into: reports,
  });
  const agent =
    options.agent?.with({ tools: [...options.agent.tools, verdictTool] }) ??
    judge({ ...options.role, instructions: options.instructions, canRun: options.canRun, tools: [...input.tools, verdictTool] });
  const run = (prompt: string, resume?: string) =>
    runtime.run(agent, prompt, { label: input.label, resume, signal: input.signal, onEvent: input.onEvent, takesWords: false });

  const first = await run(judgePrompt(input));
  const report = reports.take(first.sessionId) ?? nothingFrom(first);
  if (report) return report;
  const second = await run("You have not handed in a verdict. Call the verdict tool now, with every check by its number.", first.sessionId);
  return reports.take(second.sessionId) ?? nothingFrom(second);
}

/** A judge that failed for technical reasons before it handed anything in is no verdict and burns no round. */
function nothingFrom(result: StepResult): undefined {
  if (!result.ok) throw new StepAbort(`The judge could not do its work: ${result.error}`, { code: result.errorKind });
}

function readReport(args: unknown, goal: Goal): JudgeReport | readonly string[] {
  const report = args as JudgeReport;
  const given = new Set(report.checks.map((check) => check.number));
  const missing = goal.checks.map((_, index) => index + 1).filter((number) => !given.has(number));
  const strange = [...given].filter((number) => number > goal.checks.length);
  const problems = [
    ...missing.map((number) => `check ${number} is missing`),
    ...strange.map((number) => `there is no check ${number}`),
    ...(given.size === report.checks.length ? [] : ["a check appears twice"]),
  ];
  return problems.length > 0 ? problems : report;
}

function judgePrompt({ goal, hardChecks, claim }: JudgeInput): string {
  const numbered = goal.checks.map((check, index) => `${index + 1}. ${check.text}`).join("\n");
  const ran = hardChecks.map(
    (check) => `Check ${check.number}: ${check.ok ? "as expected" : "NOT as expected"}\n${indent(check.evidence)}`,
  );
  return [
    "Is this goal reached? Look at the workspace and decide, check by check.",
    "",
    "# Goal",
    "",
    goal.statement,
    "",
    "# Checks",
    "",
    numbered,
    "",
    "# Commands that the runtime ran for you",
    "",
    ran.length === 0 ? "None." : ran.join("\n\n"),
    "",
    "# The worker's report (a claim, not evidence)",
    "",
    claim.trim() === "" ? "None." : indent(claim),
  ].join("\n");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
