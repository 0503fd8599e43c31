import { type Agent, isAgent } from "../agents/agent.ts";
import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import { type ErrorCode, FlowerError } from "../core/errors.ts";
import { BudgetLedger, type BudgetLimits } from "../runtime/budget.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { Ctx } from "./ctx.ts";

/**
 * What a gate says of a finished attempt: `true` passes, `false` sends it back while rounds are left, `"granted"` sends it
 * back in any case (a person asked for another round), `"unheard"` too, and that round does not count (the person has said something
 * that the work has not heard).
 */
export type GateAnswer = boolean | "granted" | "unheard";

export interface StepOptions {
  readonly agent: Agent | ((ctx: Ctx) => Agent);
  readonly prompt: string | ((ctx: Ctx) => string | Promise<string>);
  /** Go on in the session that this earlier step made. */
  readonly resumeFrom?: string;
  /** With `resumeFrom`: in a copy of that session. */
  readonly fork?: boolean;
  /** Attempts after the first that a gate may send back. Default 0. */
  readonly retries?: number;
  /** Asked once per attempt, only if it succeeded. Throw `StepAbort` when another round is no use. */
  readonly gate?: (result: StepResult, ctx: Ctx) => GateAnswer | Promise<GateAnswer>;
  /** By what the gate judges, as a text that changes with it. A finished step for which it has changed since is put before its gate again. */
  readonly judgedBy?: (ctx: Ctx) => string | Promise<string>;
  /** The prompt that sends the rejected session back to work. Without it a rejected step starts again from nothing. */
  readonly onReject?: (result: StepResult, ctx: Ctx) => string | Promise<string>;
  /** What a failure means for the workflow. Default "stop". */
  readonly onFail?: "stop" | "skip" | "continue";
  /** False skips the step. */
  readonly when?: (ctx: Ctx) => boolean | Promise<boolean>;
  /** What goes into `ctx[step.name]`; default the result's text. */
  readonly reduce?: (result: StepResult, ctx: Ctx) => unknown;
  /** The prompt when a later process wakes this step's unfinished session. */
  readonly resumePrompt?: string | ((ctx: Ctx) => string | Promise<string>);
  /** Called before each round of work. */
  readonly onRound?: (ctx: Ctx) => void | Promise<void>;
  /** Called after a round of work that failed, about which no gate is asked. */
  readonly onRoundFailed?: (ctx: Ctx) => void | Promise<void>;
  /** Milliseconds for one attempt. */
  readonly timeoutMs?: number;
  /** What all its rounds may spend, subagents included, within the run's budget; judges count for the run alone. At the limit the step fails as `budget`. */
  readonly budget?: BudgetLimits;
  /** Why no other step may run at the same time, in a sentence; `parallel` refuses the step with it. Default: others may. */
  readonly alone?: string;
}

const STEP_OPTIONS: OptionKinds<StepOptions> = {
  agent: "any",
  prompt: "any",
  resumeFrom: "any",
  fork: "any",
  retries: "any",
  gate: "any",
  judgedBy: "any",
  onReject: "any",
  onFail: ["stop", "skip", "continue"],
  when: "any",
  reduce: "any",
  resumePrompt: "any",
  onRound: "any",
  onRoundFailed: "any",
  timeoutMs: "ms",
  budget: "any",
  alone: "text",
};

/** One unit of a workflow: an agent, what it is asked, and who decides whether it is done. Frozen. */
export class Step {
  readonly name: string;
  readonly options: StepOptions;

  constructor(name: string, options: StepOptions) {
    if (typeof name !== "string" || name.trim() === "") throw new FlowerError("bad-config", "A step needs a name that is not empty.");
    if (name.startsWith("_")) throw new FlowerError("bad-config", `Step "${name}": names that begin with "_" are reserved.`);
    checkOptions(`Step "${name}"`, options, STEP_OPTIONS);
    const { agent, prompt } = options;
    if (!isAgent(agent) && typeof agent !== "function") {
      throw new FlowerError("bad-config", `Step "${name}" needs an agent made with new Agent({ … }), or a function that gives one.`);
    }
    if (typeof prompt !== "string" && typeof prompt !== "function") {
      throw new FlowerError("bad-config", `Step "${name}" needs a prompt: a text, or a function that gives one.`);
    }
    if (options.retries !== undefined && (!Number.isInteger(options.retries) || options.retries < 0)) {
      throw new FlowerError("bad-config", `Step "${name}": retries must be a whole number ≥ 0, not ${options.retries}.`);
    }
    if (options.budget !== undefined) new BudgetLedger(options.budget); // its check
    this.name = name;
    this.options = Object.freeze({ ...options });
    brand(this, "step");
    Object.freeze(this);
  }

  /** The same step with some options changed. */
  with(changes: Partial<StepOptions>): Step {
    return new Step(this.name, { ...this.options, ...changes });
  }
}

export function isStep(value: unknown): value is Step {
  return hasBrand(value, "step");
}

/** Another round is no use: the workflow stops at once, with this reason. */
export class StepAbort extends FlowerError {
  /** `code`: what lies behind it, e.g. `budget`. */
  constructor(reason: string, options: { readonly code?: ErrorCode; readonly cause?: unknown } = {}) {
    super("step-aborted", reason, { cause: options.cause, details: options.code === undefined ? {} : { code: options.code } });
    this.name = "StepAbort";
  }
}
