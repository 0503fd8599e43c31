import type { Agent } from "../agents/agent.ts";
import type { Backend } from "../backends/backend.ts";
import { linkAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { type Language, translator } from "../i18n/catalogue.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import { runAttempts } from "./attempt-loop.ts";
import type { RunBooks } from "./run-books.ts";
import type { RunOptions } from "./runtime-options.ts";
import type { StepResult } from "./step-result.ts";
import { type StepScope, wireStep } from "./step-wiring.ts";

export interface StepRequest {
  readonly agent: Agent;
  readonly prompt: string;
  readonly options: RunOptions;
  readonly backend: Backend;
}

export interface RunScope extends StepScope {
  readonly books: Pick<RunBooks, "addRow" | "keepRow">;
  /** Ends with the run. */
  readonly signal: AbortSignal;
}

/** Runs one step to its end amid what the steps of a run share. Its row is in the manifest when this resolves. */
export async function performStep(request: StepRequest, scope: RunScope): Promise<StepResult> {
  const { agent, options } = request;
  const { words, leave } = scope.interrupts.enter(options.takesWords !== false);
  const link = linkAbort(options.signal, scope.signal);
  const stopTimer = startTimer(agent, scope.clock, (reason) => link.abort(reason));
  let forgetRow = () => {};
  const onBooks = (row: (error: string) => StepResult) => {
    forgetRow = scope.books.keepRow(row);
  };
  try {
    const { job, host } = await wireStep({ ...request, words, signal: link.signal, onBooks }, scope);
    const result = await runAttempts(job, host);
    const aside = await scope.books.addRow(result);
    if (aside !== undefined) host.publish(manifestAside(aside, scope.language));
    return result;
  } finally {
    forgetRow();
    stopTimer();
    link.dispose();
    leave();
  }
}

function startTimer(agent: Agent, clock: Clock, abort: (reason: unknown) => void): () => void {
  const ms = agent.limits.timeoutMs;
  if (ms === undefined) return () => {};
  return clock.after(ms, () => abort(new FlowerError("step-timeout", `The step was stopped after ${ms / 1000} s.`)));
}

function manifestAside(aside: string, language: Language): Event {
  const text = translator(language)("runtime.manifestAside", { path: aside });
  return makeEvent("task", text, { type: "notice", code: "manifest-aside", data: { aside } });
}
