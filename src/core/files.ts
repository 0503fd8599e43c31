import { mkdirSync, statSync } from "node:fs";
import { appendFile, lstat, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "./json.ts";

/** Replaces a file as a whole: readers see the old or the new content, never half of it, also after a kill. Makes parent folders. */
export async function replaceFile(path: string, content: string, options: { readonly mode?: number } = {}): Promise<void> {
  const { default: writeFileAtomic } = await import("write-file-atomic");
  makeFolder(dirname(path));
  await writeFileAtomic(path, content, options.mode === undefined ? {} : { mode: options.mode });
}

/** Appends to a file in one write, making it and its parent folders when missing. */
export async function appendToFile(path: string, content: string): Promise<void> {
  makeFolder(dirname(path));
  await appendFile(path, content);
}

/** Makes a folder with those above it. Not Node's `recursive`: that never comes back from where none can be made, as below `/proc`. */
export function makeFolder(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    makeFolder(dirname(path));
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, "EEXIST") || !statSync(path).isDirectory()) throw error;
  }
}

/** A file's text, or undefined when there is no such file. Other failures throw. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Sets a file aside under a name that says why, so that nothing of it is lost. Returns the new path. */
export async function setAside(path: string, now: number): Promise<string> {
  const name = `${path}.broken-${new Date(now).toISOString().replaceAll(":", "")}`;
  for (let copy = 1; ; copy++) {
    const aside = copy === 1 ? name : `${name}-${copy}`;
    if (await exists(aside)) continue;
    await rename(path, aside);
    return aside;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Work under a lock takes milliseconds; what a killed process left is free after this. */
const STALE_LOCK_MS = 4_000;

/** Runs `work` while no other process (or caller) holds the lock of `path`. The lock is a folder beside it; stale ones expire. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { default: lockfile } = await import("proper-lockfile");
  makeFolder(dirname(path));
  const release = await lockfile.lock(path, {
    realpath: false,
    stale: STALE_LOCK_MS,
    retries: { retries: 200, minTimeout: 5, maxTimeout: 100 },
    onCompromised: () => {}, // its default throws from a timer, e.g. after the machine slept
  });
  try {
    return await work();
  } finally {
    await release().catch(() => {}); // taken over meanwhile: no longer ours to release
  }
}

/** True when a thrown value is a system error with one of the given codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return isRecord(error) && typeof error["code"] === "string" && codes.includes(error["code"]);
}
