import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
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

/** In a folder for itself, whose name begins so. */
export const SOCKET_NAME = "control.sock";
export const SOCKET_FOLDER = "flower-";

export function controlPath(runDir: string, run: string): string {
  return join(runDir, run, "control.json");
}

/**
 * Where the run can be reached; undefined when nowhere: no file, an owner that is gone, or a socket that is not in a private
 * folder of ours. The run folder lies where agents work, so the file is not taken at its word.
 */
export async function readControlFile(runDir: string, run: string): Promise<ControlFile | undefined> {
  const file = await readWhole(runDir, run);
  return file && !isGone(file.owner) && (await isPrivate(dirname(file.socket))) ? file : undefined;
}

/**
 * Takes away what killed processes left of their doors: `control.json`, and the socket with its folder. Only a private folder that
 * could be one of ours is touched, whatever the file says. Never rejects: what stays is only untidy.
 */
export async function sweepControlFiles(runDir: string): Promise<void> {
  const runs = await readdir(runDir).catch(() => []);
  await Promise.all(runs.map((run) => sweep(runDir, run).catch(() => {})));
}

async function sweep(runDir: string, run: string): Promise<void> {
  const file = await readWhole(runDir, run);
  if (!file || !isGone(file.owner)) return;
  const folder = dirname(file.socket);
  if (isOurs(file.socket) && (await isPrivate(folder))) {
    await unlink(file.socket).catch(() => {});
    await rmdir(folder);
  }
  await unlink(controlPath(runDir, run));
}

async function readWhole(runDir: string, run: string): Promise<ControlFile | undefined> {
  const value = parseJson((await readText(controlPath(runDir, run)).catch(() => undefined)) ?? "");
  if (!isRecord(value) || value["version"] !== 1 || value["run"] !== run) return undefined;
  if (typeof value["owner"] !== "string" || typeof value["socket"] !== "string") return undefined;
  return value as unknown as ControlFile;
}

function isOurs(socket: string): boolean {
  const folder = dirname(socket);
  const places = [tmpdir(), "/tmp"].map((place) => resolve(place));
  return basename(socket) === SOCKET_NAME && basename(folder).startsWith(SOCKET_FOLDER) && places.includes(resolve(dirname(folder)));
}

/** A folder that belongs to us and that nobody else can enter. */
async function isPrivate(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
