import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Json } from "../core/json.ts";
import { decidePermission, WORKER_PERMISSIONS } from "../guards/permission.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Goal } from "../workbench/goal-document.ts";
import type { Scope } from "./ctx.ts";
import { type HardCheckResult, runHardChecks } from "./hard-checks.ts";
import { copyForJudging, isInPlace } from "./judging-copy.ts";

export interface GoalChecksInput {
  readonly goal: Goal;
  readonly runtime: Runtime;
  readonly scope: Scope;
  readonly t: Translate;
}

/**
 * Runs the commands of a goal's checks and tells of each: what came of it, what was not run, what they changed in the workspace.
 * They run in one copy of it; those that are about the workspace itself, and all when it cannot be copied, run in place.
 */
export async function runGoalChecks(input: GoalChecksInput): Promise<readonly HardCheckResult[]> {
  const { goal, runtime, scope, t } = input;
  if (goal.checks.every((check) => check.command === undefined)) return [];
  const { results, changed } = await runtime.watchTree(() => runSomewhere(input));
  for (const { number: index, ok, evidence } of results) {
    const check = goal.checks[index - 1]?.text ?? "";
    scope.emit(makeEvent("task", check, { type: "check", step: scope.step, index, total: goal.checks.length, check, ok, evidence }));
  }
  tellChanges(unexpectedChanges(changed, goal, runtime.workspace), scope, t);
  return results;
}

/** Tells the person of files that judging changed in the workspace. */
export function tellChanges(paths: readonly string[], scope: Scope, t: Translate): void {
  if (paths.length === 0) return;
  const text = t("goal.checksChanged", { count: paths.length, paths: paths.slice(0, 5).join(", ") });
  scope.emit(makeNotice("checks-changed-files", text, paths));
}

/** Tells the person that judging happens in the workspace itself, and why. */
export function tellNoCopy(reason: string, scope: Scope, t: Translate): void {
  scope.emit(makeNotice("no-copy", t("goal.noCopy", { reason }), { reason }));
}

async function runSomewhere({ goal, runtime, scope, t }: GoalChecksInput): Promise<readonly HardCheckResult[]> {
  const { workspace } = runtime;
  const names = [...new Set([workspace, await realpath(workspace)])];
  const wantsCopy = goal.checks.some((check) => check.command !== undefined && !isInPlace(check, names));
  const copy = wantsCopy ? await copyForJudging(runtime, scope.signal) : undefined;
  if (typeof copy === "string") tellNoCopy(copy, scope, t);
  const root = typeof copy === "object" ? copy.root : workspace;
  const refused = (command: string, reason: string) =>
    scope.emit(makeNotice("check-refused", t("goal.checkRefused", { command, reason }), { command, reason }));
  try {
    const results = await runHardChecks(goal.checks, {
      workspaceOf: (check) => (isInPlace(check, names) ? workspace : root),
      env: runtime.environment,
      signal: scope.signal ?? new AbortController().signal,
      refuses: whyNotToRun,
      onRefused: refused,
    });
    return results.map((result) => ({ ...result, evidence: result.evidence.replaceAll(root, workspace) })); // the copy will be gone
  } finally {
    if (typeof copy === "object") await copy.close();
  }
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
