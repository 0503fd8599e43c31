import { relative } from "node:path";
import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import { FlowerError, isFlowerError, messageOf } from "../core/errors.ts";
import type { HumanChannel } from "../human/channel.ts";
import { translator } from "../i18n/catalogue.ts";
import { clip, type EventSink, makeEvent, type RunOutcome } from "../messages/event.ts";
import { endLeftovers } from "../runtime/process-record.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { readBrief } from "./brief-edit.ts";
import { Chain, earlierRunFiles } from "./chain.ts";
import { ABORTED_KEY, type Ctx, FAILED_AT_KEY, REQUEST_KEY, RESULTS_KEY, RUNTIME_KEY } from "./ctx.ts";
import { type Ending, endingOf } from "./ending.ts";
import { isParallel, type Parallel } from "./parallel.ts";
import { runElement } from "./run-element.ts";
import { isStep, type Step } from "./step.ts";
import { wireChannel } from "./wire-channel.ts";
import { WorkflowRun } from "./workflow-run.ts";

export interface WorkflowOptions {
  /** Its identity across processes, with the step names. Default "workflow". */
  readonly name?: string;
  readonly channel?: HumanChannel;
  readonly workbench?: Workbench;
  /** Put into `ctx` at the start. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Go on from an earlier run in the same folder. Default true. */
  readonly continuous?: boolean;
  /** What the person asks for: the same words as before go on silently, others amend. Undefined: go on with what there is. */
  readonly request?: string;
  /** Put an earlier chain into the archive first. */
  readonly fresh?: boolean;
  /** Refuse to start (`bad-input`) when there is neither a request nor an earlier run, or a whole brief, to go on with. */
  readonly needsRequest?: boolean;
}

const WORKFLOW_OPTIONS: OptionKinds<WorkflowOptions> = {
  name: "any",
  channel: "any",
  workbench: "any",
  context: "any",
  continuous: "any",
  request: "any",
  fresh: "any",
  needsRequest: "any",
};

export interface WorkflowRunOptions {
  readonly onEvent?: EventSink;
  /** Called once after every step, failures included. */
  readonly onStep?: (step: Step, result: StepResult) => void;
  readonly signal?: AbortSignal;
}

/** What stands in a workflow: a step, or several that run at the same time. */
type Element = Step | Parallel;

/** 0 achieved · 1 failed · 3 waiting for a person · 4 budget · 130 interrupted. */
export const EXIT_CODES: Readonly<Record<RunOutcome, number>> = { achieved: 0, failed: 1, parked: 3, budget: 4, interrupted: 130 };

/** Steps in order, some perhaps side by side, over one `ctx`. A value: it can be run twice without leftovers of the first run. */
export class Workflow {
  readonly name: string;
  readonly elements: readonly Element[];
  /** Every step, in order. */
  readonly steps: readonly Step[];
  readonly channel: HumanChannel | undefined;
  readonly workbench: Workbench | undefined;
  readonly #options: WorkflowOptions;

  constructor(elements: readonly Element[], options: WorkflowOptions = {}) {
    checkOptions("Workflow", options, WORKFLOW_OPTIONS);
    this.#options = options;
    this.name = options.name ?? "workflow";
    this.elements = Object.freeze([...elements]);
    this.steps = Object.freeze(elements.flatMap((element) => (isParallel(element) ? element.steps : [element])));
    this.channel = options.channel;
    this.workbench = options.workbench;
    checkSteps(this.steps);
    brand(this, "workflow");
  }

  /** The same workflow with some options changed. */
  with(changes: WorkflowOptions): Workflow {
    return new Workflow(this.elements, { ...this.#options, ...changes });
  }

  /**
   * Runs the steps and gives `ctx`. A failed run is not thrown: `failedAt(ctx)` names the step, and the last event, `run-end`,
   * says the outcome. Thrown is what keeps a run from starting (`run-busy`, `bad-config`, `bad-input`).
   */
  async run(runtime: Runtime, options: WorkflowRunOptions = {}): Promise<Ctx> {
    this.#checkWorkbench(runtime);
    const chain = await Chain.open(runtime, {
      workflow: this.name,
      request: this.#options.request,
      language: runtime.language,
      fresh: this.#options.fresh ?? false,
      continuous: this.#options.continuous ?? true,
      needsRequest: this.#options.needsRequest ?? false,
      steps: this.steps.map((step) => step.name),
      onAmend: async (words) => this.channel?.amend(words),
      readBrief: async () => readBrief(this.channel?.amendPath),
    });
    await openBooks(runtime, chain);
    const ctx: Ctx = { ...this.#options.context, [RUNTIME_KEY]: runtime, [RESULTS_KEY]: [], [REQUEST_KEY]: chain.request };
    const signal = AbortSignal.any([runtime.signal, chain.lost, ...(options.signal ? [options.signal] : [])]);
    const run = new WorkflowRun({ runtime, chain, ctx, channel: this.channel, onEvent: options.onEvent, signal });
    let unwire = () => {};
    let ending: Ending = { outcome: "failed", reason: "unknown" };
    try {
      await run.openLedger();
      unwire = await wireChannel(this.channel, run);
      await this.#greet(run);
      ending = await this.#runElements(run, options);
    } catch (error) {
      ending = endingOf(error, run);
      if (!isFlowerError(error) || error.code === "bad-config") throw error;
    } finally {
      await this.#finish(run, ending, unwire);
    }
    return ctx;
  }

  /** Writes down how the run ended and lets others run, whatever fails on the way. */
  async #finish(run: WorkflowRun, { outcome, failedAt, reason }: Ending, unwire: () => void): Promise<void> {
    const { ctx, runtime, chain, onEvent } = run;
    if (failedAt !== undefined) ctx[FAILED_AT_KEY] = failedAt;
    if (outcome !== "achieved") ctx[ABORTED_KEY] = reason ?? "";
    try {
      await this.channel?.flush();
      unwire();
      this.#tellWhatIsLeft(run);
      const exitCode = EXIT_CODES[outcome];
      runtime.publish(makeEvent("task", reason ?? outcome, { type: "run-end", outcome, exitCode, failedAt, reason }), onEvent);
      await runtime.books.flush();
    } finally {
      await chain.close(outcome);
    }
  }

  /** What a person should know at the end: commands that still run, files that could not be kept. */
  #tellWhatIsLeft(run: WorkflowRun): void {
    const t = translator(run.runtime.language);
    const alive = run.runtime.books.processes.alive.map(({ pid, command }) => `${clip(command, 60)} (${pid})`);
    if (alive.length > 0) say(run, t("workflow.stillRunning", { commands: alive.join(", ") }), "still-running");
    const failures = (this.channel?.uiErrors ?? []).map(messageOf);
    if (failures.length > 0) say(run, t("workflow.channelErrors", { errors: [...new Set(failures)].join("; ") }), "channel-errors");
  }

  /** What the start found: an earlier run to go on from, an unusable lineage, processes left alive. */
  async #greet(run: WorkflowRun): Promise<void> {
    const { chain, runtime } = run;
    const t = translator(runtime.language);
    if (chain.notice && chain.notice.code !== "missing")
      say(run, t("workflow.lineageAside", { path: chain.notice.aside ?? "" }), `lineage-${chain.notice.code}`);
    if (chain.foundBrief) {
      const path = relative(runtime.workspace, this.channel?.amendPath ?? "");
      say(run, t(chain.amendment === undefined ? "workflow.foundBrief" : "workflow.foundBriefAmended", { path }), "brief-found");
    }
    const earlier = chain.woke?.runs.at(-1);
    if (!chain.woke || earlier === undefined) return;
    say(run, t(chain.amendment === undefined ? "workflow.woke" : "workflow.amended", { since: earlier }), "woke");
    if (chain.edited !== undefined) say(run, t("workflow.briefEdited", { changes: chain.edited }), "brief-edited");
    const ended = (await Promise.all(earlierRunFiles(runtime, chain, "processes.json").map(endLeftovers))).flat();
    if (ended.length > 0) say(run, t("workflow.endedProcesses", { commands: ended.join(", ") }), "ended-processes");
  }

  async #runElements(run: WorkflowRun, { onStep }: WorkflowRunOptions): Promise<Ending> {
    const total = this.steps.length;
    let index = 1;
    let nothingToDo = run.chain.woke !== undefined;
    for (const element of this.elements) {
      const { skipped, ending } = await runElement(element, { index, total, onStep }, run);
      if (ending) return ending;
      nothingToDo &&= skipped;
      index += isParallel(element) ? element.steps.length : 1;
    }
    const last = this.elements.at(-1) as Element; // checked: there is at least one
    for (let words = await run.takeUnread(); words.length > 0; words = await run.takeUnread()) {
      nothingToDo = false;
      const { ending } = await runElement(last, { index, total, onStep, words }, run); // nobody's words are left behind by an end
      if (ending) return ending;
    }
    if (nothingToDo) say(run, translator(run.runtime.language)("workflow.alreadyDone"), "already-done");
    return { outcome: "achieved" };
  }

  #checkWorkbench(runtime: Runtime): void {
    const { workbench } = this;
    if (!workbench || workbench === runtime.workbench || workbench.root === runtime.workbench.root) return;
    throw new FlowerError(
      "bad-config",
      `The workflow's workbench is ${workbench.root}, the Runtime's is ${runtime.workbench.root}. Give the Runtime the workflow's: new Runtime({ workbench: workflow.workbench }).`,
    );
  }
}

export function isWorkflow(value: unknown): value is Workflow {
  return hasBrand(value, "workflow");
}

/** After the chain: a start that is refused leaves no books behind. */
async function openBooks(runtime: Runtime, chain: Chain): Promise<void> {
  try {
    await runtime.books.open();
  } catch (error) {
    await chain.close("failed");
    throw error;
  }
}

function checkSteps(steps: readonly Step[]): void {
  if (steps.length === 0) throw new FlowerError("bad-config", "A workflow needs at least one step.");
  const names = new Set<string>();
  for (const step of steps) {
    if (!isStep(step)) throw new FlowerError("bad-config", "Every element of a workflow must be made with new Step(…).");
    if (names.has(step.name)) throw new FlowerError("bad-config", `Two steps are named "${step.name}".`);
    names.add(step.name);
  }
}

function say(run: WorkflowRun, text: string, code: string): void {
  run.runtime.publish(makeEvent("task", text, { type: "notice", code }), run.onEvent);
}
