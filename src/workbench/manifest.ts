import type { ErrorCode } from "../core/errors.ts";
import { readText, replaceFile, setAside, withFileLock } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { Usage } from "../messages/usage.ts";

/** One step of one run as it ended: what `runs/manifest.json` holds an array of. */
export interface ManifestRow {
  /** The run's id. */
  readonly run: string;
  /** The run that this one goes on with. */
  readonly continues?: string;
  /** The rendered label, e.g. `work#round2`. */
  readonly step: string;
  readonly sessionId?: string;
  readonly ok: boolean;
  /** US dollars; undefined when a price is unknown. */
  readonly costUsd?: number;
  readonly usage?: Usage;
  readonly numIterations: number;
  readonly text: string;
  /** What went wrong, in words; "" when nothing. */
  readonly error: string;
  readonly errorKind?: ErrorCode | "";
  /** ISO instants. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly attempts: number;
  readonly errors: readonly string[];
  readonly resumed: boolean;
  /** Sessions that a context handoff gave up. */
  readonly retired: readonly string[];
  /** The largest context level of the main thread, in tokens. */
  readonly context?: number;
}

/** What happened to a file that could not be read: where it is now. */
export interface SetAside {
  readonly aside?: string;
}

/**
 * Adds rows to the manifest; a row with the run, step and start of an older one updates it. Safe for several processes:
 * none loses another's rows. A file that is no manifest is set aside first, never overwritten.
 */
export async function appendManifestRows(path: string, rows: readonly ManifestRow[], now: () => number = Date.now): Promise<SetAside> {
  return withFileLock(path, async () => {
    const old = await readRows(path);
    const aside = old === undefined ? await setAside(path, now()) : undefined;
    await replaceFile(path, `${JSON.stringify(merge(old ?? [], rows), undefined, 2)}\n`);
    return aside === undefined ? {} : { aside };
  });
}

/** The rows, oldest first; none when there is no file; undefined when there is one that is no manifest. Changes nothing. */
export async function readManifest(path: string): Promise<readonly ManifestRow[] | undefined> {
  const rows = await readRows(path);
  return rows?.filter(isManifestRow);
}

/** Entries of an array are kept whatever they are: a newer version may have written them. */
async function readRows(path: string): Promise<readonly unknown[] | undefined> {
  const text = await readText(path);
  if (text === undefined) return [];
  const rows = parseJson(text);
  return Array.isArray(rows) ? rows : undefined;
}

function merge(old: readonly unknown[], rows: readonly ManifestRow[]): unknown[] {
  const merged: unknown[] = [...old];
  const places = new Map(old.map((row, index) => [keyOf(row), index] as const));
  for (const row of rows) {
    const place = places.get(keyOf(row));
    if (place !== undefined) merged[place] = { ...(merged[place] as object), ...row };
    else places.set(keyOf(row), merged.push(row) - 1);
  }
  return merged;
}

/** Undefined, which no row of ours has, for what is no row. */
function keyOf(row: unknown): string | undefined {
  return isManifestRow(row) ? JSON.stringify([row.run, row.step, row.startedAt]) : undefined;
}

function isManifestRow(row: unknown): row is ManifestRow {
  return isRecord(row) && typeof row["run"] === "string" && typeof row["step"] === "string" && typeof row["startedAt"] === "string";
}
