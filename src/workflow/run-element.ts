import { isFlowerError } from "../core/errors.ts";
import { makeEvent } from "../messages/event.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { LineageStep } from "../workbench/lineage.ts";
import { type Ending, endingOf, endOf } from "./ending.ts";
import { formerResult } from "./former-result.ts";
import { isParallel, type Parallel } from "./parallel.ts";
import { runParallel } from "./run-parallel.ts";
import { isJudgedAnew, reduced, runStep, setScope } from "./run-step.ts";
import type { Step } from "./step.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/** Where an element's steps stand among all steps of the workflow, and who hears of them. */
export interface Place {
  /** Of the element's first step, from 1. */
  readonly index: number;
  readonly total: number;
  /** The element's name, when its steps run at the same time. */
  readonly parallel?: string;
  readonly onStep: ((step: Step, result: StepResult) => void) | undefined;
  /** What a person said when everything was finished: the steps take it in and finish again. */
  readonly words?: readonly string[];
}

/** What an element's turn came to. */
export interface Turn {
  /** Nothing was to be done. */
  readonly skipped: boolean;
  /** The run's ending, when this is its end. */
  readonly ending?: Ending;
}

/** Gives an element of a workflow its turn. Throws only what is wrongly wired (`bad-config`). */
export async function runElement(element: Step | Parallel, place: Place, run: WorkflowRun): Promise<Turn> {
  if (!isParallel(element)) return runTurn(element, place, run);
  const named = { ...place, parallel: element.name };
  return runParallel(element, run, (step, index, branch) => runTurn(step, { ...named, index: place.index + index }, branch));
}

async function runTurn(step: Step, place: Place, run: WorkflowRun): Promise<Turn> {
  run.step = step.name;
  try {
    const skipped = place.words === undefined && (await isSkipped(step, run));
    if (place.words === undefined) await announce(step, skipped, place, run);
    return skipped ? { skipped } : { skipped, ending: await work(step, place, run) };
  } catch (error) {
    if (isFlowerError(error, "bad-config")) throw error;
    return { skipped: false, ending: endingOf(error, run) };
  }
}

async function work(step: Step, place: Place, run: WorkflowRun): Promise<Ending | undefined> {
  const end = await runStep(step, run, place.words);
  run.keepSession(step.name, end.result.sessionId);
  run.runtime.tell(() => place.onStep?.(step, end.result));
  const ending = endOf(end, step, run);
  if (ending) return ending;
  if (end.kind === "passed") run.ctx[step.name] = end.value;
  else if (step.options.onFail === "continue") run.ctx[step.name] = await reduced(step, end.result, run.ctx);
  return undefined;
}

/** Not wanted this time, or finished by an earlier run of the chain: then what it left stands in `ctx` again. */
async function isSkipped(step: Step, run: WorkflowRun): Promise<boolean> {
  const known = run.chain.woke && run.chain.step(step.name);
  setScope(step, known?.round ?? 1, run);
  if (step.options.when) return !(await step.options.when(run.ctx));
  if (!known?.finished || known.amendment !== undefined || isJudgedAnew(step, known, await step.options.judgedBy?.(run.ctx))) return false;
  if (run.ctx[step.name] === undefined) run.ctx[step.name] = await leftBy(step, known, run);
  return true;
}

/** What a finished step left in `ctx`: as it was kept, or, when JSON could not hold it, made again from the result that the manifest remembers. */
async function leftBy(step: Step, known: LineageStep, run: WorkflowRun): Promise<unknown> {
  const { sessionId, value, text = "" } = known;
  if (value !== undefined) return value;
  if (!step.options.reduce || sessionId === undefined) return text;
  const result = await formerResult(run.runtime.manifestPath, sessionId);
  return result ? reduced(step, result, run.ctx) : text;
}

async function announce(step: Step, skipped: boolean, place: Place, run: WorkflowRun): Promise<void> {
  const { index, total, parallel } = place;
  const woke = run.chain.woke !== undefined;
  const session = run.chain.step(step.name)?.sessionId;
  const resumed = woke && !skipped && session !== undefined && (await run.runtime.hasSession(session));
  const rest = { ...(skipped ? { skipped } : {}), ...(parallel === undefined ? {} : { parallel }) };
  run.runtime.publish(makeEvent("step", step.name, { index, total, resumed, woke, ...rest }), run.onEvent);
}
