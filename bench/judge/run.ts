import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "../../src/agents/agent.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine, type ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { Event } from "../../src/messages/event.ts";
import { Runtime } from "../../src/runtime/runtime.ts";
import { goalToMarkdown } from "../../src/workbench/goal-document.ts";
import { verdictOf } from "../../src/workflow/ctx.ts";
import type { HardCheckResult } from "../../src/workflow/hard-checks.ts";
import { Step } from "../../src/workflow/step.ts";
import type { Verdict } from "../../src/workflow/verdict.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { type JudgeCase, lay } from "./case.ts";
import { HONEST } from "./cases/honest.ts";
import { MISSING } from "./cases/missing.ts";
import { BENT_TESTS } from "./cases/tests.ts";
import { WORDS as WORD_CASES } from "./cases/words.ts";
import { honestJudge } from "./judges.ts";

export const CASES: readonly JudgeCase[] = [...MISSING, ...BENT_TESTS, ...WORD_CASES, ...HONEST];

/** What a whole run came to: work, the checks' commands, an honest judge. */
export interface Judged {
  readonly given: JudgeCase;
  readonly hardChecks: readonly HardCheckResult[];
  readonly verdict: Verdict | undefined;
}

/** Runs a case as it would be run, with a scripted model: one round of work in a real workspace, real commands, one judging. */
export async function judgeCase(given: JudgeCase): Promise<Judged> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "flower-judge-")));
  const workspace = join(folder, "project");
  await lay({ "goal.md": goalToMarkdown({ statement: given.name, checks: given.items.map(toCheck) }, "en"), ...given.before }, workspace);
  const engine = new ScriptedEngine(play(given, workspace));
  const runtime = new Runtime({ workspace, engine });
  const hardChecks: HardCheckResult[] = [];
  const onEvent = ({ kind, payload }: Event) => {
    if (kind !== "task" || payload.type !== "check") return;
    hardChecks.push({ number: payload.index, ok: payload.ok, evidence: payload.evidence });
  };
  try {
    const channel = new HumanChannel({ timeoutMs: 0 });
    const work = new Step("work", { agent: new Agent({ name: "worker" }), prompt: "Reach the goal." });
    const step = withGoal(work, channel, { goalPath: join(workspace, "goal.md"), rounds: 1 });
    const ctx = await new Workflow([step], { channel }).run(runtime, { onEvent });
    return { given, hardChecks, verdict: verdictOf(ctx) };
  } finally {
    await runtime.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function toCheck({ text, command, expect, inPlace, unverifiableReason }: JudgeCase["items"][number]) {
  return { text, command, expect, inPlace, unverifiableReason };
}

function play(given: JudgeCase, workspace: string): (request: RecordedRequest) => Promise<ScriptedAnswer> {
  const judge: ScriptedStep[] = [...honestJudge(given)];
  return async (request) => {
    if (!request.tools.some((tool) => tool.name === "verdict")) {
      await lay(given.work, workspace);
      return given.report;
    }
    const next = judge.shift();
    if (next === undefined) throw new Error(`${given.name}: the judge was called too often.`);
    return typeof next === "function" ? next(request) : next;
  };
}

/** Runs all cases, a few at a time. */
export async function judgeAll(cases: readonly JudgeCase[], atOnce = 4): Promise<readonly Judged[]> {
  const queue = cases.entries();
  const judged: Judged[] = [];
  const work = async () => {
    for (const [index, given] of queue) judged[index] = await judgeCase(given);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return judged;
}
