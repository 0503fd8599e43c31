import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { isStep, type Step, type StepOptions } from "./step.ts";

export interface ParallelOptions {
  /** For people and events. Default: the steps' names. */
  readonly name?: string;
  /** How many steps work at a time. Default: all. */
  readonly concurrency?: number;
  /**
   * What one step's failure means. `stop` (default): the others stop at their next boundary, and the workflow with them; `skip`,
   * `continue`: the others go on, and so does the workflow.
   */
  readonly onFail?: "stop" | "skip" | "continue";
}

const PARALLEL_OPTIONS: OptionKinds<ParallelOptions> = { name: "text", concurrency: "any", onFail: ["stop", "skip", "continue"] };

/** Several steps that stand in a workflow as one element and run at the same time. Frozen. */
export class Parallel {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly concurrency: number;

  constructor(steps: readonly Step[], options: ParallelOptions = {}) {
    checkOptions("parallel", options, PARALLEL_OPTIONS);
    const { onFail = "stop", concurrency = steps.length } = options;
    checkSteps(steps, onFail);
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new FlowerError("bad-config", `parallel: concurrency must be a whole number ≥ 1, not ${String(concurrency)}.`);
    }
    this.name = options.name ?? steps.map((step) => step.name).join(" + ");
    this.steps = Object.freeze(steps.map((step) => (step.options.onFail === onFail ? step : step.with({ onFail }))));
    this.concurrency = concurrency;
    brand(this, "parallel");
    Object.freeze(this);
  }
}

/**
 * Several steps as one element of a workflow: each in a session of its own, all over `ctx` as it is when the element begins. What
 * they leave there is put together when all have ended, in the order of the steps. They share the workspace: give each its own files.
 * Throws `bad-config` for steps that cannot run side by side.
 */
export function parallel(steps: readonly Step[], options: ParallelOptions = {}): Parallel {
  return new Parallel(steps, options);
}

export function isParallel(value: unknown): value is Parallel {
  return hasBrand(value, "parallel");
}

function checkSteps(steps: readonly Step[], onFail: StepOptions["onFail"]): void {
  if (!Array.isArray(steps) || steps.length === 0) throw new FlowerError("bad-config", "parallel needs at least one step.");
  if (!steps.every(isStep)) throw new FlowerError("bad-config", "parallel takes steps made with new Step(…), and nothing else.");
  const names = steps.map((step) => step.name);
  for (const { name, options } of steps) {
    const { resumeFrom } = options;
    if (options.alone !== undefined) throw new FlowerError("bad-config", `Step "${name}" cannot stand in parallel: ${options.alone}`);
    if (options.onFail !== undefined && options.onFail !== onFail) {
      throw new FlowerError("bad-config", `Step "${name}": in parallel the onFail of the whole counts; give it there.`);
    }
    if (resumeFrom === undefined) continue;
    if (names.includes(resumeFrom)) {
      throw new FlowerError("bad-config", `Step "${name}" goes on from "${resumeFrom}", which runs at the same time.`);
    }
    const sharing = steps.filter((other) => other.options.resumeFrom === resumeFrom);
    if (sharing.length > 1 && !sharing.every((other) => other.options.fork)) {
      throw new FlowerError("bad-config", `Several steps in parallel go on in the session of "${resumeFrom}". Give each fork: true.`);
    }
  }
}
