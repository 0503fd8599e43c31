import { FlowerError } from "../core/errors.ts";
import { type Ctx, REJECTION_KEY, RESULTS_KEY, resultsOf, SCOPE_KEY } from "./ctx.ts";
import type { Parallel } from "./parallel.ts";
import type { Turn } from "./run-element.ts";
import type { Step } from "./step.ts";
import type { WorkflowRun } from "./workflow-run.ts";

type RunTurn = (step: Step, index: number, branch: WorkflowRun) => Promise<Turn>;

/**
 * Runs the steps of a parallel element, each over a `ctx` of its own, at most `concurrency` at a time. The first that ends the run
 * stops the others at their next boundary, and no further one begins; one that waits for a person (`parked`) lets the others finish.
 * All have ended when it returns, and what they left is in the run's `ctx`.
 */
export async function runParallel(element: Parallel, run: WorkflowRun, runTurn: RunTurn): Promise<Turn> {
  const stop = new AbortController();
  const branches = element.steps.map((step) => run.branch(step.name, stop.signal));
  const before = { ...run.ctx };
  const turns: Turn[] = [];
  const wrong: { step: string; error: unknown }[] = [];
  const waiting = [...element.steps.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
      const [index, step] = next;
      try {
        const turn = await runTurn(step, index, branches[index] as WorkflowRun); // one for each step
        turns.push(turn);
        if (turn.ending && turn.ending.outcome !== "parked") stop.abort(stoppedBy(step));
      } catch (error) {
        wrong.push({ step: step.name, error });
        stop.abort(stoppedBy(step));
      }
    }
  };
  await Promise.all(Array.from({ length: element.concurrency }, lane));
  for (const branch of branches) takeOver(branch.ctx, before, run.ctx);
  const [first] = wrong;
  if (first) {
    run.step = first.step;
    throw first.error;
  }
  const endings = turns.flatMap(({ ending }) => ending ?? []);
  const ending = endings.find(({ outcome }) => outcome !== "parked") ?? endings[0];
  return { skipped: turns.every(({ skipped }) => skipped), ...(ending ? { ending } : {}) };
}

function stoppedBy(step: Step): FlowerError {
  return new FlowerError("aborted", `Step "${step.name}" ended the run while this one was at work.`);
}

/** What belongs to one step alone, or is put together in another way. */
const OWN_KEYS = [SCOPE_KEY, REJECTION_KEY, RESULTS_KEY];

/** Brings what a branch has written since it began into the run's `ctx`. */
function takeOver(branch: Ctx, before: Ctx, ctx: Ctx): void {
  for (const [key, value] of Object.entries(branch)) {
    if (!OWN_KEYS.includes(key) && !(Object.hasOwn(before, key) && Object.is(before[key], value))) ctx[key] = value;
  }
  ctx[RESULTS_KEY] = [...resultsOf(ctx), ...resultsOf(branch).slice(resultsOf(before).length)];
}
