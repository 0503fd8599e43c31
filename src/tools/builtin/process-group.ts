import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import { isGroupAlive, signalGroup } from "./group-life.ts";

/** From SIGTERM to SIGKILL. */
const KILL_AFTER_MS = 2_000;
/** How long output may still come after the command has exited: what is in the pipe, not what background children write later. */
const PIPE_GRACE_MS = 150;
/** How often the end of background children is looked for. */
const WATCH_EVERY_MS = 500;

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
  readonly onStart: (pid: number) => void;
  /** Nothing of the group is left. */
  readonly onGone: (pid: number) => void;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stopped?: "timeout" | "abort";
  /** The group id, when children of the command live on in the background. */
  readonly background?: number;
}

/**
 * Runs a command with bash in a process group of its own, standard error merged into standard output in the order of writing.
 * Resolves when bash has exited, even when background children keep the pipe open (they go on, their output is dropped). At a
 * timeout or abort the whole group gets SIGTERM, and SIGKILL 2 s later. Rejects only when bash cannot be started.
 */
export async function runInGroup(command: string, options: CommandOptions): Promise<CommandEnd> {
  const child = spawnBash(command, options);
  const stopper = stopWhenDue(child, options);
  let isListening = true;
  child.stdout.on("data", (chunk: Buffer) => {
    if (isListening) options.onOutput(chunk);
  });
  const drained = once(child.stdout, "close").catch(() => {});
  try {
    if (child.pid !== undefined) options.onStart(child.pid);
    const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    const pid = child.pid as number;
    stopper.disarm();
    await firstOf(drained, PIPE_GRACE_MS, options.clock);
    const isAlive = isGroupAlive(pid);
    if (!isAlive) stopper.cancelKill();
    watchForEnd(pid, options);
    return { exitCode, signal, stopped: stopper.reason(), background: isAlive && stopper.reason() === undefined ? pid : undefined };
  } finally {
    isListening = false;
    stopper.disarm();
    letGo(child.stdout);
  }
}

function spawnBash(command: string, options: CommandOptions) {
  // The outer bash only joins the two streams, then becomes the inner one.
  return spawn("bash", ["-c", 'exec bash -c "$1" 2>&1', "bash", command], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

interface Stopper {
  reason(): CommandEnd["stopped"];
  /** No more stopping; a SIGKILL that is due still comes. */
  disarm(): void;
  cancelKill(): void;
}

/** Ends the group at the timeout or the abort, whichever comes first. */
function stopWhenDue(child: ChildProcess, { clock, signal, timeoutMs }: CommandOptions): Stopper {
  let reason: CommandEnd["stopped"];
  let cancelKill = () => {};
  const stop = (why: "timeout" | "abort") => {
    if (reason !== undefined || child.pid === undefined) return;
    reason = why;
    const { pid } = child;
    signalGroup(pid, "SIGTERM");
    cancelKill = clock.after(KILL_AFTER_MS, () => signalGroup(pid, "SIGKILL"));
  };
  const onAbort = () => stop("abort");
  const cancelTimeout = clock.after(timeoutMs, () => stop("timeout"));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const disarm = () => {
    cancelTimeout();
    signal.removeEventListener("abort", onAbort);
  };
  return { reason: () => reason, disarm, cancelKill: () => cancelKill() };
}

/** Waits for the promise, but no longer than `ms`. */
async function firstOf(promise: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  let cancel = () => {};
  const timer = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([promise, timer]).finally(() => cancel());
}

/** Calls `onGone` once nothing of the group runs. The timer does not keep our process alive. */
function watchForEnd(pid: number, options: CommandOptions): void {
  if (!isGroupAlive(pid)) options.onGone(pid);
  else options.clock.after(WATCH_EVERY_MS, () => watchForEnd(pid, options), { unref: true });
}

/** A background child's pipe is drained, so that the child can go on, but does not keep our process alive. */
function letGo(pipe: Readable & { unref?: () => void }): void {
  pipe.unref?.();
}
