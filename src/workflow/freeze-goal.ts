import { createHash } from "node:crypto";
import { stat, utimes } from "node:fs/promises";
import { replaceFile } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { Check } from "../workbench/check.ts";
import { type Goal, goalToMarkdown, makeGoal, parseGoal } from "../workbench/goal-document.ts";
import type { Scope } from "./ctx.ts";

export interface FreezeOptions {
  readonly path: string;
  readonly language: Language;
  /** ISO instant up to which the person has been heard: what they said while the goal was being set may not be in it. */
  readonly heardUntil: string;
}

/** Writes the goal. The file's time says until when the person has been heard, so that another process knows it too. */
export async function freezeGoal(goal: Goal, options: FreezeOptions): Promise<void> {
  await replaceFile(options.path, goalToMarkdown(goal, options.language));
  const heard = new Date(options.heardUntil);
  await utimes(options.path, heard, heard);
}

/**
 * Writes the goal that a goal-setter handed in. `personal`: the checks that a person wrote into the file before; those that are missing
 * are put behind, and what is remembered as handed in is without them. Gives the goal as it is frozen.
 */
export async function freezeHandedIn(
  handedIn: Goal,
  personal: readonly Check[],
  scope: Scope | undefined,
  options: FreezeOptions,
): Promise<Goal> {
  const goal = makeGoal(handedIn.statement, [...handedIn.checks, ...without(personal, handedIn.checks)]);
  if (scope) await noteFrozen(scope, options);
  await freezeGoal(goal, options);
  await scope?.keepDocument("goal", goalToMarkdown({ ...goal, checks: without(goal.checks, personal) }, options.language));
  return goal;
}

/** The checks of a goal file that no goal-setter handed in: a person wrote or edited them. */
export function personalChecks(goal: Goal, scope: Scope | undefined): readonly Check[] {
  return without(goal.checks, parseGoal(scope?.document("goal") ?? "").checks);
}

/** As they are read from a file, whatever a model called them by. */
function without(checks: readonly Check[], others: readonly Check[]): readonly Check[] {
  const known = new Set(others.map(asRead));
  return checks.filter((check) => !known.has(asRead(check)));
}

/** Those of the checks that are among the others too. */
export function inBoth(checks: readonly Check[], others: readonly Check[]): readonly Check[] {
  return without(checks, without(checks, others));
}

function asRead(check: Check): string {
  return JSON.stringify(parseGoal(goalToMarkdown({ statement: "", checks: [check] }, "en")).checks[0]);
}

/** Until when the person has been heard, in milliseconds; an edit of the file by hand counts as hearing everything before it. */
export async function heardUntil(path: string): Promise<number> {
  return Math.round((await stat(path)).mtimeMs);
}

/** Before the file is written: whoever was judged by the goal before was not judged by this one. */
async function noteFrozen(scope: Scope, { path, heardUntil: at }: FreezeOptions): Promise<void> {
  await scope.keepDocument("frozen", JSON.stringify({ ...frozenGoals(scope), [path]: at }));
}

function frozenGoals(scope: Scope | undefined): Readonly<Record<string, unknown>> {
  const known = parseJson(scope?.document("frozen") ?? "");
  return isRecord(known) ? known : {};
}

/** Which goal this is: another text, or the same set again, gives another. */
export function goalIdentity(goal: Goal, path: string, scope: Scope | undefined): string {
  const asWritten = goalToMarkdown(parseGoal(goalToMarkdown(goal, "en")), "en");
  return createHash("sha256")
    .update(JSON.stringify([asWritten, frozenGoals(scope)[path] ?? ""]))
    .digest("hex");
}
