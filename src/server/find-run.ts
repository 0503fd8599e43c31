import { readdir } from "node:fs/promises";
import { lineagePath } from "../workbench/lineage.ts";
import { probeLineage } from "../workbench/lineage-file.ts";
import { runChain } from "../workbench/run-chain.ts";
import { RUN_ID } from "../workbench/run-folder.ts";
import { readRunLocks } from "../workbench/run-lock.ts";
import { readControlFile } from "./control-file.ts";
import { RemoteRun } from "./remote-run.ts";
import { RunFiles } from "./run-files.ts";

/** Absolute paths. */
export interface RunPlace {
  readonly workspace: string;
  readonly runDir: string;
  /** Names of workflows that no start goes on with: what is left for them nobody would find. */
  readonly notResumed: readonly string[];
}

export interface FoundRun {
  readonly run: string;
  /** The runs of its chain, oldest first, this one last. */
  readonly chain: readonly string[];
  readonly isAlive: boolean;
  /** How to talk to its process, when that can be done. */
  readonly remote?: RemoteRun;
  readonly files: RunFiles;
  /** A later start goes on with it, and finds what is left in its files. */
  readonly isResumed: boolean;
}

/** The run of this folder: the newest that lives; else the last that a start would go on with; else the last of all. */
export async function findRun(place: RunPlace): Promise<FoundRun | undefined> {
  const { workspace, runDir } = place;
  const [holder] = await readRunLocks(runDir);
  if (holder) return found(place, holder.runId, true);
  const [resumable] = (await lastRuns(place, (workflow) => !place.notResumed.includes(workflow))).toSorted().toReversed();
  if (resumable !== undefined) return found(place, resumable, false);
  const entries = await readdir(runDir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name)).map((entry) => entry.name);
  const last = names.toSorted().at(-1);
  if (last === undefined) return undefined;
  const chain = await runChain(runDir, workspace, last);
  return { run: last, chain, isAlive: false, isResumed: false, files: new RunFiles({ runDir, chain, isAlive: false }) };
}

/** The last run of each workflow's chain. */
async function lastRuns({ workspace, runDir }: RunPlace, isWanted: (workflow: string) => boolean): Promise<readonly string[]> {
  const probed = await probeLineage({ path: lineagePath(runDir), workspace });
  const workflows = probed.kind === "known" ? Object.entries(probed.file.workflows) : [];
  return workflows.filter(([name]) => isWanted(name)).flatMap(([, lineage]) => lineage.runs.slice(-1));
}

async function found({ workspace, runDir }: RunPlace, run: string, isAlive: boolean): Promise<FoundRun> {
  const chain = await runChain(runDir, workspace, run);
  const control = isAlive ? await readControlFile(runDir, run) : undefined;
  const remote = control && new RemoteRun(run, control.socket);
  const answers = await remote?.state().catch(() => undefined);
  const files = new RunFiles({ runDir, chain, isAlive });
  return { run, chain, isAlive, isResumed: true, files, ...(remote && answers?.run === run ? { remote } : {}) };
}
