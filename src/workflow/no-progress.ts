import { stat } from "node:fs/promises";
import { join } from "node:path";
import { diffTree, hashTree, type Tree } from "../guards/tree-hash.ts";
import { type Ctx, runtimeOf, type Scope, scopeOf } from "./ctx.ts";
import type { Verdict } from "./verdict.ts";

/** What a round that was sent back left: which checks had failed, and the workspace when the next began. */
interface Standing {
  readonly failed: string;
  readonly before?: Snapshot;
}

interface Snapshot {
  readonly tree: Tree;
  readonly marks: string;
}

const KEY = "_no_progress";
/** They change with a commit and with an installation, which the comparison of files leaves out. */
const MARKS = [".git/logs/HEAD", "node_modules/.package-lock.json"];

/** Before a round: remembers the workspace, if the round before was sent back. */
export async function beginRound(ctx: Ctx): Promise<void> {
  const scope = scopeOf(ctx);
  const standing = scope && (ctx[keyOf(scope)] as Standing | undefined);
  if (standing) ctx[keyOf(scope)] = { ...standing, before: await snapshot(ctx, scope) } satisfies Standing;
}

/** After a round, before anything is judged: which checks had failed before it, if it changed nothing in the workspace. */
export async function failedBeforeIdleRound(ctx: Ctx, scope: Scope): Promise<string | undefined> {
  const standing = ctx[keyOf(scope)] as Standing | undefined;
  ctx[keyOf(scope)] = undefined;
  if (!standing?.before) return undefined;
  const now = await snapshot(ctx, scope);
  if (!now || now.marks !== standing.before.marks) return undefined;
  const { added, changed, removed } = diffTree(standing.before.tree, now.tree);
  return added.length + changed.length + removed.length === 0 ? standing.failed : undefined;
}

/** The round is sent back with this verdict. */
export function noteSentBack(verdict: Verdict, ctx: Ctx, scope: Scope): void {
  const failed = failedChecks(verdict);
  ctx[keyOf(scope)] = failed === "" ? undefined : ({ failed } satisfies Standing);
}

/** What had failed before is nothing to compare the next round with. */
export function forgetStanding(ctx: Ctx, scope: Scope): void {
  ctx[keyOf(scope)] = undefined;
}

/** The texts of a verdict's failed checks, as one text; "" when there are none. */
export function failedChecks(verdict: Verdict): string {
  return verdict.checks
    .filter((check) => check.state === "failed")
    .map((check) => check.check)
    .join("\n");
}

async function snapshot(ctx: Ctx, { signal }: Scope): Promise<Snapshot | undefined> {
  const runtime = runtimeOf(ctx);
  if (!runtime) return undefined;
  const { workspace, runDir, workbench } = runtime;
  const marks = await Promise.all(MARKS.map((path) => stat(join(workspace, path)).catch(() => undefined)));
  const tree = await hashTree(workspace, { exclude: [runDir, workbench.root], signal });
  return { tree, marks: marks.map((found) => found?.mtimeMs ?? 0).join() };
}

function keyOf({ step }: Scope): string {
  return `${KEY}:${step}`;
}
