import { messageOf } from "../../core/errors.ts";
import type { Translate } from "../../i18n/catalogue.ts";
import { isWorkflow, type Workflow } from "../../workflow/workflow.ts";
import type { WorkflowSetup } from "../../workflow/workflow-setup.ts";
import { cannotUse, loadExport } from "./load-module.ts";

/** What a file gives to `flower run`: a workflow, or a function that makes one. */
export type WorkflowSource = Workflow | ((setup: WorkflowSetup) => unknown);

/** Throws `bad-input`, in one line, when the file exports nothing of the kind. */
export async function loadWorkflow(target: string, t: Translate): Promise<WorkflowSource> {
  const loaded = await loadExport(target, t("cli.load.workflow"), t);
  if (isWorkflow(loaded)) return loaded;
  if (typeof loaded === "function") return loaded as WorkflowSource; // what it makes is looked at when it is called
  throw cannotUse(t("cli.load.noWorkflow", { path: target }));
}

/** The workflow, made for this run when the file exports a function. Throws `bad-input` when that fails or makes something else. */
export async function makeWorkflow(source: WorkflowSource, target: string, setup: WorkflowSetup, t: Translate): Promise<Workflow> {
  if (isWorkflow(source)) return source;
  let made: unknown;
  try {
    made = await source(setup);
  } catch (error) {
    throw cannotUse(t("cli.load.failed", { path: target, reason: messageOf(error) }), error);
  }
  if (!isWorkflow(made)) throw cannotUse(t("cli.load.noWorkflow", { path: target }));
  return made;
}
