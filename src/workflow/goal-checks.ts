import { resolve } from "node:path";
import type { Json } from "../core/json.ts";
import { decidePermission, WORKER_PERMISSIONS } from "../guards/permission.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Goal } from "../workbench/goal-document.ts";
import type { Scope } from "./ctx.ts";
import { type HardCheckResult, runHardChecks } from "./hard-checks.ts";

export interface GoalChecksInput {
  readonly goal: Goal;
  readonly runtime: Runtime;
  readonly scope: Scope;
  readonly t: Translate;
}

/** Runs the commands of a goal's checks and tells of each: what came of it, what was not run, what they changed in the workspace. */
export async function runGoalChecks({ goal, runtime, scope, t }: GoalChecksInput): Promise<readonly HardCheckResult[]> {
  if (goal.checks.every((check) => check.command === undefined)) return [];
  const notice = (code: string, text: string, data: Json) => scope.emit(makeNotice(code, text, data));
  const { results, changed } = await runtime.watchTree(() =>
    runHardChecks(goal.checks, {
      workspace: runtime.workspace,
      env: runtime.environment,
      signal: scope.signal ?? new AbortController().signal,
      refuses: (command) => whyNotToRun(command, runtime.workspace),
      onRefused: (command, reason) => notice("check-refused", t("goal.checkRefused", { command, reason }), { command, reason }),
    }),
  );
  for (const { number: index, ok, evidence } of results) {
    const check = goal.checks[index - 1]?.text ?? "";
    scope.emit(makeEvent("task", check, { type: "check", step: scope.step, index, total: goal.checks.length, check, ok, evidence }));
  }
  const unexpected = unexpectedChanges(changed, goal, runtime.workspace);
  if (unexpected.length > 0) {
    const text = t("goal.checksChanged", { count: unexpected.length, paths: unexpected.slice(0, 5).join(", ") });
    notice("checks-changed-files", text, unexpected);
  }
  return results;
}

function makeNotice(code: string, text: string, data: Json) {
  return makeEvent("task", text, { type: "notice", code, data });
}

/** What was changed beside the files that checks say they make. */
function unexpectedChanges(changed: readonly string[], goal: Goal, workspace: string): readonly string[] {
  const made = new Set(goal.checks.flatMap((check) => check.expect?.creates ?? []).map((path) => resolve(workspace, path)));
  return changed.filter((path) => !made.has(resolve(workspace, path)));
}

/** The goal's commands are a model's: what a worker would have to ask for is not run. */
async function whyNotToRun(command: string, workspace: string): Promise<string | undefined> {
  const decided = await decidePermission({ name: "Bash", args: { command } }, WORKER_PERMISSIONS, { workspace, addDirs: [] });
  return decided.decision === "allow" ? undefined : decided.reason;
}
