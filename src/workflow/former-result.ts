import { NO_USAGE } from "../messages/usage.ts";
import type { StepResult } from "../runtime/step-result.ts";
import { type ManifestRow, readManifest } from "../workbench/manifest.ts";

/** How the work in this session ended last, in an earlier run; undefined when the manifest knows of no success. */
export async function formerResult(manifestPath: string, sessionId: string): Promise<StepResult | undefined> {
  const rows = (await readManifest(manifestPath).catch(() => undefined)) ?? [];
  const last = rows.findLast((row) => row.sessionId === sessionId);
  return last?.ok ? toResult(last, sessionId) : undefined;
}

function toResult(row: ManifestRow, sessionId: string): StepResult {
  return Object.freeze({
    step: row.step,
    sessionId,
    ok: true,
    costUsd: row.costUsd,
    usage: row.usage ?? NO_USAGE,
    numIterations: row.numIterations,
    text: row.text,
    error: "",
    errorKind: undefined,
    startedAt: row.startedAt,
    endedAt: row.endedAt ?? row.startedAt,
    durationMs: row.durationMs ?? 0,
    attempts: row.attempts,
    errors: row.errors,
    resumed: row.resumed,
    retired: row.retired,
    context: row.context ?? 0,
  });
}
