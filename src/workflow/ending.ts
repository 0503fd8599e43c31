import { isFlowerError, messageOf } from "../core/errors.ts";
import { translator } from "../i18n/catalogue.ts";
import type { RunOutcome } from "../messages/event.ts";
import { isStepAbort, type StepEnd } from "./run-step.ts";
import type { Step } from "./step.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/** How a run ended, as its last event says it. */
export interface Ending {
  readonly outcome: RunOutcome;
  readonly failedAt?: string;
  readonly reason?: string;
}

/** What a step's end means for the run; undefined when it goes on. Nothing goes on after an abort, or without money. */
export function endOf(end: StepEnd, step: Step, run: WorkflowRun): Ending | undefined {
  if (end.kind === "passed") return undefined;
  if (end.kind === "aborted") {
    if (isFlowerError(end.error, "bad-config")) throw end.error;
    return endingOf(end.error, run);
  }
  const { code, reason } = end;
  if (code === "parked") return parkedAt(step.name, run);
  if (run.signal.aborted) return { outcome: "interrupted", failedAt: step.name, reason };
  const { ledger } = run.runtime;
  const isBroke = code === "budget" && (ledger.reached() ?? ledger.refused) !== undefined;
  if ((step.options.onFail ?? "stop") !== "stop" && !isBroke) return undefined;
  return { outcome: code === "budget" ? "budget" : "failed", failedAt: step.name, reason };
}

/** What something thrown means for the run. */
export function endingOf(error: unknown, run: WorkflowRun): Ending {
  const reason = messageOf(error);
  const code = isStepAbort(error) ? error.details["code"] : isFlowerError(error) ? error.code : undefined;
  if (code === "parked") return parkedAt(run.step, run);
  if (run.signal.aborted) return { outcome: "interrupted", failedAt: run.step, reason };
  return { outcome: code === "budget" ? "budget" : "failed", failedAt: run.step, reason };
}

/** The run waits for a person, or for a network: at the next start it goes on from there. */
function parkedAt(step: string | undefined, run: WorkflowRun): Ending {
  const t = translator(run.runtime.language);
  const ids = run.parkedQuestions().join(", ");
  return { outcome: "parked", failedAt: step, reason: ids === "" ? t("workflow.offline") : t("workflow.parked", { id: ids }) };
}
