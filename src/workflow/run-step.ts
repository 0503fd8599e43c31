import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../agents/agent.ts";
import { linkAbort } from "../core/abort.ts";
import { FlowerError } from "../core/errors.ts";
import { type Json, toJson } from "../core/json.ts";
import type { StepLabel } from "../messages/label.ts";
import type { RunOptions } from "../runtime/runtime-options.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { LineageStep } from "../workbench/lineage.ts";
import { earlierRunFiles } from "./chain.ts";
import { type Ctx, REJECTION_KEY, RESULTS_KEY, SCOPE_KEY, type Scope, verdictOf } from "./ctx.ts";
import { formerResult } from "./former-result.ts";
import { finishedBefore } from "./said-words.ts";
import type { GateAnswer, Step, StepAbort } from "./step.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/** How one step of a workflow ended. */
export type StepEnd =
  /** `value`: what goes into `ctx` under the step's name. */
  | { readonly kind: "passed"; readonly result: StepResult; readonly value: unknown }
  | { readonly kind: "failed"; readonly result: StepResult; readonly reason: string; readonly code: string | undefined }
  /** The step's own code (its gate, its next prompt) threw after this attempt: the workflow stops. */
  | { readonly kind: "aborted"; readonly result: StepResult; readonly error: unknown };

/** The prompt of a round, and the session it continues. */
interface Round {
  readonly label: StepLabel;
  readonly prompt: string;
  readonly resume: string | undefined;
  /** That session has left its handoff document: a fresh one takes over. */
  readonly handedOver?: boolean;
  /** In a copy of that session. */
  readonly fork?: boolean;
}

const WAKE_PROMPT =
  "The process that ran you ended and has been started again. Go on where you left off; check the state of anything that was in flight before you do it again.";

/**
 * Runs one step with its rounds: work, gate, and back while rounds are left or a person grants one. With `words` a step that was
 * finished goes on in its session with what the person said.
 */
export async function runStep(step: Step, run: WorkflowRun, words: readonly string[] = []): Promise<StepEnd> {
  const known = run.chain.step(step.name);
  const verdictBefore = verdictOf(run.ctx);
  let round = words.length > 0 ? await roundWithWords(step, known, run, words) : await firstRound(step, known, run);
  let former = words.length > 0 ? undefined : await workedBefore(step, known, run);
  let left = (step.options.retries ?? 0) + (former && known?.finished ? 1 : 0); // to judge what was finished is no round of work
  for (;;) {
    const number = roundNumber(round.label);
    setScope(step, number, run);
    const result = former ?? (await work(step, round, run));
    former = undefined;
    addResult(run.ctx, result);
    if (!result.ok) return { kind: "failed", result, reason: result.error, code: result.errorKind };
    run.ctx[REJECTION_KEY] = undefined;
    try {
      const answer = await askGate(step, result, run.ctx);
      if (answer === true) {
        const value = await reduced(step, result, run.ctx);
        const judgedBy = await step.options.judgedBy?.(run.ctx);
        const done = { finished: true, prompt: undefined, amendment: undefined, worked: undefined, unheard: undefined };
        await run.chain.note(step.name, { ...done, text: result.text, value: keptValue(step, value), judgedBy });
        return { kind: "passed", result, value };
      }
      round = await nextRound(step, result, round.label, run.ctx);
      await run.chain.note(step.name, { finished: false, prompt: round.prompt, worked: undefined }); // whatever the work wrote there
      if (answer === "unheard") continue;
      if (left <= 0 && answer !== "granted") {
        return { kind: "failed", result, reason: run.rejectionReason(number, verdictBefore), code: undefined };
      }
      left--;
    } catch (error) {
      if (isDecision(error, run)) await run.chain.note(step.name, { worked: undefined });
      return { kind: "aborted", result, error };
    }
  }
}

async function work(step: Step, round: Round, run: WorkflowRun): Promise<StepResult> {
  const { label, prompt } = round;
  await run.chain.note(step.name, { finished: false, round: roundNumber(label), prompt, worked: undefined, unheard: undefined });
  await step.options.onRound?.(run.ctx);
  const result = await runRound(step, round, run);
  if (!result.ok) await step.options.onRoundFailed?.(run.ctx);
  return result;
}

/** Whether a gate that threw has decided about the round. One that could not (a judge without a model, a run that was stopped) is asked again at the next start. */
function isDecision(error: unknown, run: WorkflowRun): boolean {
  const code = isStepAbort(error) ? error.details["code"] : error instanceof FlowerError ? error.code : undefined;
  return code === undefined && !run.signal.aborted;
}

/** Whether a finished step, which has no condition of its own, was judged by something else than now, or by nothing. */
export function isJudgedAnew({ options }: Step, known: LineageStep, judgedBy: string | undefined): boolean {
  return options.judgedBy !== undefined && options.when === undefined && known.judgedBy !== judgedBy;
}

/** The result of work whose gate has not decided, or is to decide again. With new words the work goes on instead. */
async function workedBefore(step: Step, known: LineageStep | undefined, run: WorkflowRun): Promise<StepResult | undefined> {
  const isAnew = known?.finished === true && isJudgedAnew(step, known, await step.options.judgedBy?.(run.ctx));
  if (!run.chain.woke || known?.sessionId === undefined || known.amendment !== undefined) return undefined;
  if (!isAnew && !isUndecided(known)) return undefined;
  if (!(await run.runtime.hasSession(known.sessionId))) return undefined;
  return formerResult(run.runtime.manifestPath, known.sessionId);
}

function isUndecided(known: LineageStep | undefined): boolean {
  return known?.worked === true && known.amendment === undefined;
}

async function firstRound(step: Step, known: LineageStep | undefined, run: WorkflowRun): Promise<Round> {
  const { options } = step;
  const { ctx, chain, runtime } = run;
  // A finished step that has a condition of its own and is wanted again (its document is gone, or is to be set anew) begins anew.
  const anew = known?.finished === true && options.when !== undefined;
  const woken = !anew && chain.woke && known?.sessionId !== undefined && (await runtime.hasSession(known.sessionId)) ? known : undefined;
  if (woken) {
    const again = woken.finished || (chain.woke?.outcome === "failed" && !isUndecided(woken));
    const label = labelFor(step.name, woken.round + (again ? 1 : 0));
    return { label, prompt: await wakePrompt(step, woken, run), resume: woken.sessionId, handedOver: woken.handedOver };
  }
  const task = await taskOf(step, ctx);
  const amendment = known?.amendment ?? "";
  const prompt = [task, ...saidBefore(known), ...(task.includes(amendment) ? [] : [addedWords(amendment)])].join("\n\n");
  return { label: { step: step.name }, prompt, resume: sessionToResume(step, ctx, run), fork: options.fork };
}

/** What the step is to do, as it is told at its start. */
async function taskOf(step: Step, ctx: Ctx): Promise<string> {
  const { prompt } = step.options;
  return typeof prompt === "string" ? prompt : prompt(ctx);
}

async function roundWithWords(step: Step, known: LineageStep | undefined, run: WorkflowRun, words: readonly string[]): Promise<Round> {
  const prompt = finishedBefore(words);
  if (known?.sessionId === undefined || !(await run.runtime.hasSession(known.sessionId))) {
    const first = await firstRound(step, undefined, run);
    return { ...first, prompt: `${first.prompt}\n\n${prompt}` };
  }
  return { label: labelFor(step.name, known.round + 1), prompt, resume: known.sessionId };
}

async function wakePrompt(step: Step, woken: LineageStep, run: WorkflowRun): Promise<string> {
  const { resumePrompt } = step.options;
  const own = typeof resumePrompt === "function" ? await resumePrompt(run.ctx) : resumePrompt;
  const { amendment } = woken;
  const added = amendment === undefined ? [] : [addedWords(amendment)];
  const asked = woken.prompt === undefined ? WAKE_PROMPT : `${WAKE_PROMPT}\n\n${woken.prompt}`;
  return [own ?? asked, ...saidBefore(woken), ...added].join("\n\n");
}

function addedWords(amendment: string): string {
  return `The person adds:\n\n${amendment}\n\nIt stands at the end of the brief too and counts as much as the rest.`;
}

/** What the process that ended could not tell the model any more. */
function saidBefore(known: LineageStep | undefined): readonly string[] {
  const { unheard = [] } = known ?? {};
  return unheard.length === 0 ? [] : [`Before that the person had stopped you to say this:\n\n${unheard.join("\n\n")}`];
}

function sessionToResume(step: Step, ctx: Ctx, run: WorkflowRun): string | undefined {
  const from = step.options.resumeFrom;
  if (from === undefined) return undefined;
  const session = run.sessionOf(from);
  if (session === undefined) {
    throw new FlowerError(
      "bad-config",
      `Step "${step.name}" goes on from "${from}", which made no session. Steps so far: ${
        Object.keys(ctx)
          .filter((key) => !key.startsWith("_"))
          .join(", ") || "none"
      }.`,
    );
  }
  return session;
}

async function nextRound(step: Step, result: StepResult, label: StepLabel, ctx: Ctx): Promise<Round> {
  const { onReject } = step.options;
  if (onReject)
    return { label: labelFor(step.name, roundNumber(label) + 1), prompt: await onReject(result, ctx), resume: result.sessionId };
  return { label: { step: step.name, retry: (label.retry ?? 0) + 1 }, prompt: await taskOf(step, ctx), resume: undefined };
}

async function runRound(step: Step, round: Round, run: WorkflowRun): Promise<StepResult> {
  const agent: Agent = typeof step.options.agent === "function" ? step.options.agent(run.ctx) : step.options.agent;
  const link = linkAbort(run.signal);
  const ms = step.options.timeoutMs;
  const cancel = ms === undefined ? () => {} : run.runtime.clock.after(ms, () => link.abort(stepTimeout(step.name, ms)));
  const fork = round.fork && round.resume !== undefined ? { from: round.resume } : undefined;
  const options: RunOptions = {
    label: round.label,
    resume: fork ? undefined : round.resume,
    handedOver: round.handedOver,
    fork,
    signal: link.signal,
    ledger: await run.ledgerOf(step),
    task: () => taskOf(step, run.ctx),
    onEvent: run.onEvent,
    notice: run.mailNotice(),
    askPermission: run.askPermission(),
    onUnheard: (words) => run.chain.note(step.name, { unheard: words.length === 0 ? undefined : words }),
    onSession: (sessionId, hasPrompt) =>
      run.chain.note(step.name, hasPrompt ? { sessionId, prompt: undefined, handedOver: undefined } : { sessionId }),
    onHandedOver: () => run.chain.note(step.name, { handedOver: true, prompt: round.resume === undefined ? undefined : round.prompt }),
  };
  try {
    return await run.runtime.run(agent, round.prompt, options);
  } finally {
    cancel();
    link.dispose();
  }
}

/** What goes into `ctx` under the step's name. */
export async function reduced(step: Step, result: StepResult, ctx: Ctx): Promise<unknown> {
  return step.options.reduce ? step.options.reduce(result, ctx) : result.text;
}

/** The value for later starts, when it comes back from JSON as it was. With `when` a step fills `ctx` itself. */
function keptValue({ options }: Step, value: unknown): Json | undefined {
  if (!options.reduce || options.when) return undefined;
  const json = toJson(value);
  return isDeepStrictEqual(json, value) ? json : undefined;
}

async function askGate(step: Step, result: StepResult, ctx: Ctx): Promise<GateAnswer> {
  return step.options.gate ? step.options.gate(result, ctx) : true;
}

function stepTimeout(name: string, ms: number): FlowerError {
  return new FlowerError("step-timeout", `Step "${name}" was stopped after ${ms / 1000} s.`);
}

function labelFor(step: string, round: number): StepLabel {
  return round > 1 ? { step, round } : { step };
}

function roundNumber(label: StepLabel): number {
  return label.round ?? (label.retry ?? 0) + 1;
}

/** Tells the step's own code where it stands. */
export function setScope(step: Step, round: number, run: WorkflowRun): void {
  const scope: Scope = {
    step: step.name,
    round,
    amendment: run.chain.step(step.name)?.amendment,
    signal: run.signal,
    onEvent: run.onEvent,
    emit: (event) => run.runtime.publish(event, run.onEvent),
    workDone: () => run.chain.note(step.name, { worked: true }),
    document: (name) => run.chain.document(name),
    keepDocument: (name, text) => run.chain.keepDocument(name, text),
    earlierFiles: (name) => earlierRunFiles(run.runtime, run.chain, name),
  };
  run.ctx[SCOPE_KEY] = scope;
}

function addResult(ctx: Ctx, result: StepResult): void {
  (ctx[RESULTS_KEY] as StepResult[]).push(result);
}

/** What a thrown error of a step's own code means for the run: a gate's `StepAbort` is an ending, anything else is a fault. */
export function isStepAbort(error: unknown): error is StepAbort {
  return error instanceof FlowerError && error.code === "step-aborted";
}
