import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readText } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { isGone } from "../core/process-mark.ts";

/** `<runDir>/<runId>/control.json`: where a live run can be reached. */
export interface ControlFile {
  readonly version: 1;
  readonly run: string;
  readonly pid: number;
  /** Names the process for good, also when its id has gone to another. */
  readonly owner: string;
  /** Path of the Unix socket that serves the control API. */
  readonly socket: string;
  /** ISO instant. */
  readonly since: string;
}

export function controlPath(runDir: string, run: string): string {
  return join(runDir, run, "control.json");
}

/**
 * Where the run can be reached; undefined when nowhere: no file, an owner that is gone, or a socket that is not in a private
 * folder of ours. The run folder lies where agents work, so the file is not taken at its word.
 */
export async function readControlFile(runDir: string, run: string): Promise<ControlFile | undefined> {
  const value = parseJson((await readText(controlPath(runDir, run)).catch(() => undefined)) ?? "");
  if (!isRecord(value) || value["version"] !== 1 || value["run"] !== run) return undefined;
  if (typeof value["owner"] !== "string" || typeof value["socket"] !== "string") return undefined;
  if (isGone(value["owner"]) || !(await isPrivate(dirname(value["socket"])))) return undefined;
  return value as unknown as ControlFile;
}

/** A folder that belongs to us and that nobody else can enter. */
async function isPrivate(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
