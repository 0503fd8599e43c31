import { readdir, stat, unlink, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { readText, replaceFile, withFileLock } from "../core/files.ts";
import { newId } from "../core/ids.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { isAlive, processState } from "../core/process-state.ts";
import { toFileName } from "./file-name.ts";

/** Who holds a workflow's lock. */
export interface RunHolder {
  readonly pid: number;
  readonly runId: string;
  /** ISO instant. */
  readonly since: string;
  readonly host: string;
}

/** The right to be the one live run of a workflow in a run directory. */
export interface RunLock extends AsyncDisposable {
  /** Aborts with `lease-lost` when another process took the lock over, because this one was away for too long. */
  readonly signal: AbortSignal;
  /** Gives the lock back; once is enough, more does no harm. */
  release(): Promise<void>;
}

export interface RunLockInfo {
  readonly runId: string;
  readonly clock?: Clock;
}

/** The file. `token` tells this acquisition from every other; `started` a process from a later one of the same id. */
interface LockFile extends RunHolder {
  readonly token: string;
  readonly started?: string;
}

const BEAT_MS = 5_000;
const STALE_MS = 30_000;

/**
 * Takes `<runDir>/<workflow>.lock`. Throws `run-busy`, with the {@link RunHolder} in its details, while a live run holds
 * it. What a dead process left is taken over: at once when its end can be seen from here, else when its heartbeat (the
 * file's time) is 30 s old.
 */
export async function acquireRunLock(runDir: string, workflow: string, info: RunLockInfo): Promise<RunLock> {
  const path = lockPath(runDir, workflow);
  const clock = info.clock ?? systemClock;
  const started = processState(process.pid)?.start;
  const since = toInstant(clock.now());
  const own: LockFile = { pid: process.pid, runId: info.runId, since, host: hostname(), token: newId(), ...(started ? { started } : {}) };
  await withFileLock(path, async () => {
    const holder = await readHolder(path, clock);
    if (holder) throw busy(workflow, holder);
    await replaceFile(path, `${JSON.stringify(own)}\n`);
    await touch(path, clock);
  });
  return holdLock(path, own, clock);
}

/** Who holds the lock, or undefined when no live run does. */
export async function readRunLock(runDir: string, workflow: string, clock: Clock = systemClock): Promise<RunHolder | undefined> {
  return readHolder(lockPath(runDir, workflow), clock);
}

/** Every live run in the run directory, the newest first. */
export async function readRunLocks(runDir: string, clock: Clock = systemClock): Promise<readonly RunHolder[]> {
  const entries = await readdir(runDir, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".lock"));
  const holders = await Promise.all(files.map((file) => readHolder(join(runDir, file.name), clock)));
  return holders.filter((holder) => holder !== undefined).sort((a, b) => (a.since < b.since ? 1 : -1));
}

function lockPath(runDir: string, workflow: string): string {
  return join(runDir, `${toFileName(workflow)}.lock`);
}

function busy(workflow: string, holder: RunHolder): FlowerError {
  const message =
    `The workflow "${workflow}" already runs here: run ${holder.runId}, process ${holder.pid}, since ${holder.since}. ` +
    "Attach to it, or choose another run directory.";
  return new FlowerError("run-busy", message, { details: { workflow, ...holder } });
}

function holdLock(path: string, own: LockFile, clock: Clock): RunLock {
  const lost = new AbortController();
  let cancel = () => {};
  let beating: Promise<void> = Promise.resolve();
  let released: Promise<void> | undefined;
  const schedule = () => {
    const onTime = () => {
      beating = beat();
    };
    cancel = clock.after(BEAT_MS, onTime, { unref: true });
  };
  /** A heartbeat that fails is tried again with the next one. */
  const beat = async () => {
    const isOurs = await keepAlive(path, own, clock).catch(() => true);
    if (!isOurs) lost.abort(new FlowerError("lease-lost", `Another process took over ${path}; this run must stop.`));
    else if (!released) schedule();
  };
  const release = async () => {
    cancel();
    await beating;
    await withFileLock(path, async () => {
      if ((await readLock(path))?.token === own.token) await unlink(path);
    });
  };
  schedule();
  const releaseOnce = () => {
    released ??= release();
    return released;
  };
  return { signal: lost.signal, release: releaseOnce, [Symbol.asyncDispose]: releaseOnce };
}

async function keepAlive(path: string, own: LockFile, clock: Clock): Promise<boolean> {
  if ((await readLock(path))?.token !== own.token) return false;
  await touch(path, clock);
  return true;
}

async function touch(path: string, clock: Clock): Promise<void> {
  await utimes(path, clock.now() / 1_000, clock.now() / 1_000);
}

async function readHolder(path: string, clock: Clock): Promise<RunHolder | undefined> {
  const lock = await readLock(path);
  if (!lock) return undefined;
  const stats = await stat(path).catch(() => undefined);
  const isStale = !stats || clock.now() - stats.mtimeMs > STALE_MS;
  if (!isHeld(lock, isStale)) return undefined;
  const { pid, runId, since, host } = lock;
  return { pid, runId, since, host };
}

/** On this machine the process decides, as far as the system tells; elsewhere, or in doubt, the heartbeat. */
function isHeld(lock: LockFile, isStale: boolean): boolean {
  if (lock.host !== hostname()) return !isStale;
  if (!isAlive(lock.pid)) return false;
  const started = processState(lock.pid)?.start;
  return lock.started !== undefined && started !== undefined ? lock.started === started : !isStale;
}

/** Undefined when there is no lock file, or one that is none: ours are replaced as a whole, so nobody holds by it. */
async function readLock(path: string): Promise<LockFile | undefined> {
  const value = parseJson((await readText(path)) ?? "");
  if (!isRecord(value) || typeof value["pid"] !== "number" || typeof value["token"] !== "string") return undefined;
  return value as unknown as LockFile;
}
