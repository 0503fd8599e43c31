import { join } from "node:path";
import { FlowerError } from "../core/errors.ts";
import { type FollowOptions, followLog } from "./event-follower.ts";
import { type LogEntry, readLog } from "./event-reader.ts";
import { lineagePath } from "./lineage.ts";
import { probeLineage } from "./lineage-file.ts";
import { readManifest } from "./manifest.ts";

/** A place in the log of a run, written `runId:seq`: behind the event with that number. */
export interface Cursor {
  readonly run: string;
  readonly seq: number;
}

/** Where a run's log lies. */
export function eventsPath(runDir: string, run: string): string {
  return join(runDir, run, "events.jsonl");
}

/** Reads `runId:seq`, or a bare sequence number of `run`. Throws `bad-input` for anything else. */
export function toCursor(after: string | number | undefined, run: string): Cursor {
  const match = /^(?:([\w.-]+):)?(\d{1,15})$/.exec(String(after ?? 0));
  if (match) return { run: match[1] ?? run, seq: Number(match[2]) };
  throw new FlowerError("bad-input", `"${String(after).slice(0, 80)}" is no cursor. Use a sequence number, or runId:number.`);
}

/** The runs of the chain that ends with this one, oldest first, as lineage and manifest tell. Never throws. */
export async function runChain(runDir: string, workspace: string, run: string): Promise<readonly string[]> {
  const probed = await probeLineage({ path: lineagePath(runDir), workspace });
  for (const { runs } of probed.kind === "known" || probed.kind === "foreign" ? Object.values(probed.file.workflows) : []) {
    if (runs.includes(run)) return runs.slice(0, runs.indexOf(run) + 1);
  }
  const rows = (await readManifest(join(runDir, "manifest.json")).catch(() => undefined)) ?? [];
  const chain = [run];
  for (let next = before(run); next !== undefined && !chain.includes(next); next = before(next)) chain.unshift(next);
  return chain;

  function before(id: string): string | undefined {
    return rows.find((row) => row.run === id && row.continues !== undefined)?.continues;
  }
}

export interface ChainFollowOptions extends Omit<FollowOptions, "after"> {
  /** Oldest first; the last one is followed, the others have ended. */
  readonly runs: readonly string[];
  readonly after: Cursor;
}

/** A chain of runs as one log: the rest of the run that the cursor names, those after it, and the last one live. Throws `not-found`. */
export async function* followChain(runDir: string, options: ChainFollowOptions): AsyncGenerator<LogEntry, void, void> {
  const { runs, after, ...follow } = options;
  const rest = runs.slice(placeOf(after, runs));
  for (const [index, run] of rest.entries()) {
    const seq = index === 0 ? after.seq : 0;
    const path = eventsPath(runDir, run);
    if (index < rest.length - 1) yield* readLog(path, { after: seq });
    else yield* followLog(path, { ...follow, after: seq });
    if (follow.signal?.aborted) return;
  }
}

/** Like {@link followChain}, as far as it is on disk now. */
export async function* readChain(
  runDir: string,
  { runs, after }: Pick<ChainFollowOptions, "runs" | "after">,
): AsyncGenerator<LogEntry, void, void> {
  for (const [index, run] of runs.slice(placeOf(after, runs)).entries())
    yield* readLog(eventsPath(runDir, run), { after: index === 0 ? after.seq : 0 });
}

function placeOf({ run }: Cursor, runs: readonly string[]): number {
  const place = runs.indexOf(run);
  if (place < 0) throw new FlowerError("not-found", `${run} is no run of this chain. It has: ${runs.join(", ")}.`);
  return place;
}
