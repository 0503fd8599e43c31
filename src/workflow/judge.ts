import type { Agent, BuiltinToolName } from "../agents/agent.ts";
import type { EventSink } from "../messages/event.ts";
import type { StepLabel } from "../messages/label.ts";
import { judge, type RoleOptions } from "../runtime/roles.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { StepResult } from "../runtime/step-result.ts";
import { isWithin } from "../tools/builtin/paths.ts";
import type { Tool } from "../tools/tool.ts";
import type { Goal } from "../workbench/goal-document.ts";
import { documentTool, HandedIn } from "./document-tools.ts";
import type { HardCheckResult } from "./hard-checks.ts";
import { copyForJudging } from "./judging-copy.ts";
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
  /** Let the judge run commands, in a copy of the workspace: its verdict is harder then, and it repairs nothing. */
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
  /** Told when a judge that could change files works in the workspace itself: why there is no copy. */
  readonly onNoCopy: (reason: string) => void;
  /** Told of files of the workspace that changed while such a judge worked. */
  readonly onChanges: (paths: readonly string[]) => void;
}

/** What the judge handed in; without that, its last words. */
export type Judgement = { readonly report: JudgeReport } | { readonly words: string };

const ASK_AGAIN = `You have not handed in a verdict. Call the verdict tool now, with every check by its number.
Only if you have no such tool, write "Conclusion: achieved", "Conclusion: not achieved" or "Conclusion: unreachable", and below it "Reason: " with what you saw.`;

/**
 * Has the work judged in a fresh session. A judge that could change files works in a copy of the workspace. Its words count when
 * no report came after one re-ask. Throws `StepAbort` when the judge could not run at all.
 */
export async function judgeWork(input: JudgeInput): Promise<Judgement> {
  const { runtime, options } = input;
  const reports = new HandedIn<JudgeReport>();
  const verdictTool = documentTool<JudgeReport>({
    name: "verdict",
    description: "Hands in the verdict: for every check its state and the evidence for it.",
    parameters: VERDICT_SCHEMA,
    read: (args) => readReport(args, input.goal),
    into: reports,
  });
  const chosen =
    options.agent?.with({ tools: [...options.agent.tools, verdictTool] }) ??
    judge({ ...options.role, instructions: options.instructions, canRun: options.canRun, tools: [...input.tools, verdictTool] });
  const agent = withoutBooks(chosen, runtime);
  if (!canChange(agent)) return askJudge(agent, reports, input);
  const copy = await copyForJudging(runtime, input.signal);
  if (typeof copy === "string") input.onNoCopy(copy);
  const root = typeof copy === "string" ? undefined : copy.root;
  try {
    const { results, changed } = await runtime.watchTree(() => askJudge(agent, reports, input, root));
    input.onChanges(changed);
    return root === undefined ? results : inWorkspace(results, root, runtime.workspace);
  } finally {
    if (typeof copy === "object") await copy.close();
  }
}

/** Earlier verdicts, attempts and logs are nothing to judge by. */
function withoutBooks(agent: Agent, { workspace, runDir }: Runtime): Agent {
  if (isWithin(workspace, runDir)) return agent; // then they cannot be told from the work
  const { deny = [], ...permissions } = agent.permissions;
  return agent.with({ permissions: { ...permissions, deny: [...deny, `Read(${runDir})`] } });
}

async function askJudge(agent: Agent, reports: HandedIn<JudgeReport>, input: JudgeInput, copy?: string): Promise<Judgement> {
  const { label, signal, onEvent } = input;
  const run = (prompt: string, resume?: string) =>
    input.runtime.run(agent, prompt, { label, resume, signal, onEvent, workspace: copy, takesWords: false });

  const first = await run(judgePrompt(input, copy));
  const report = reports.take(first.sessionId) ?? nothingFrom(first);
  if (report) return { report };
  const second = await run(ASK_AGAIN, first.sessionId);
  const late = reports.take(second.sessionId) ?? nothingFrom(second);
  return late ? { report: late } : { words: second.text.trim() === "" ? first.text : second.text };
}

const LOOKING: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "WebFetch", "TodoWrite"] satisfies BuiltinToolName[]);

/** Whether an agent has built-in tools that may change files, or can start others. */
function canChange(agent: Agent): boolean {
  return agent.subagents.length > 0 || agent.tools.some((item) => typeof item === "string" && !LOOKING.has(item));
}

/** Paths of the copy, which will be gone, become those of the workspace. */
function inWorkspace(judgement: Judgement, copy: string, workspace: string): Judgement {
  const moved = (text: string) => text.replaceAll(copy, workspace);
  if ("words" in judgement) return { words: moved(judgement.words) };
  const { checks, reason, impossible } = judgement.report;
  const seen = checks.map((check) => ({ ...check, evidence: moved(check.evidence) }));
  return { report: { checks: seen, reason: moved(reason), impossible: impossible === undefined ? undefined : moved(impossible) } };
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

function judgePrompt({ goal, hardChecks, claim, runtime }: JudgeInput, copy: string | undefined): string {
  const numbered = goal.checks.map((check, index) => `${index + 1}. ${check.text}`).join("\n");
  const ran = hardChecks.map(
    (check) => `Check ${check.number}: ${check.ok ? "as expected" : "NOT as expected"}\n${indent(check.evidence)}`,
  );
  const place = `You see a copy of the workspace, at ${copy}. Where a path begins with ${runtime.workspace}, look there instead. Nothing you change in it counts.`;
  return [
    "Is this goal reached? Look at the workspace and decide, check by check.",
    ...(copy === undefined ? [] : [place]),
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
