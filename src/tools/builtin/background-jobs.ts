import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, sleep, systemClock, toInstant } from "../../core/clock.ts";
import { makeFolder } from "../../core/files.ts";
import { isGroupAlive, signalGroup } from "./group-life.ts";
import type { ToolProcess } from "./toolset.ts";

/** From SIGTERM to SIGKILL. */
const KILL_AFTER_MS = 2_000;
const WATCH_EVERY_MS = 500;
const LOOK_EVERY_MS = 20;
/** A job that writes more than this is ended: it would fill the disk. */
const MOST_BYTES = 100_000_000;
/** Read at once; what lies between is named and skipped. */
const MOST_READ_BYTES = 100_000;

export interface JobsOptions {
  readonly cwd: string;
  readonly clock: Clock;
  /** Where output is kept, one file a job. Default: a temporary folder. */
  readonly folder?: string;
  /** At its abort every job is ended. */
  readonly lifetime?: AbortSignal;
  /** Given, at that abort, what resolves when no job runs any more. */
  readonly onJobsEnding?: (gone: Promise<void>) => void;
  readonly onProcess?: (process: ToolProcess) => void;
  readonly onProcessEnd?: (pid: number) => void;
}

/** How a job stands. */
export interface JobState {
  readonly id: string;
  readonly status: "running" | "ended" | "killed" | "too-much-output";
  readonly exitCode?: number | null;
  /** Its output from the beginning, standard error included. */
  readonly path: string;
}

interface Job {
  readonly id: string;
  readonly pid: number;
  readonly path: string;
  status: JobState["status"];
  exitCode?: number | null;
  isGone: boolean;
  /** Bytes of the output that were read. */
  read: number;
}

/** Commands that go on while the agent does something else: each in a process group of its own, its output in a file. */
export class BackgroundJobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  #folder: string | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
    const end = () => {
      const gone = this.#endAll();
      options.onJobsEnding?.(gone);
    };
    options.lifetime?.addEventListener("abort", end, { once: true });
  }

  get ids(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** Starts a command. Rejects when bash cannot be started. */
  async start(command: string, env: Readonly<Record<string, string>>): Promise<JobState> {
    const { cwd, clock, onProcess, lifetime } = this.#options;
    lifetime?.throwIfAborted();
    const id = `bash_${this.#jobs.size + 1}`;
    const path = join(this.#makeFolder(), `${id}.log`);
    const output = await open(path, "a", 0o600);
    try {
      const child = spawn("bash", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", output.fd, output.fd] });
      await once(child, "spawn");
      const job: Job = { id, pid: child.pid as number, path, status: "running", isGone: false, read: 0 }; // it has been spawned
      this.#jobs.set(id, job);
      onProcess?.({ pid: job.pid, startedAt: toInstant(clock.now()), command });
      child.unref();
      this.#follow(job, child);
      if (lifetime?.aborted) await this.#end(job, "killed");
      return stateOf(job);
    } finally {
      await output.close();
    }
  }

  state(id: string): JobState | undefined {
    const job = this.#jobs.get(id);
    return job && stateOf(job);
  }

  /** What the job wrote since the last time, at most the newest 100,000 bytes; undefined for a job that does not exist. */
  async readNew(id: string): Promise<{ readonly text: string; readonly skipped: number } | undefined> {
    const job = this.#jobs.get(id);
    if (!job) return undefined;
    const file = await open(job.path, "r");
    try {
      const { size } = await file.stat();
      const from = Math.max(job.read, size - MOST_READ_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      await file.read(bytes, 0, bytes.length, from);
      const skipped = from - job.read;
      job.read = size;
      return { text: bytes.toString("utf8"), skipped };
    } finally {
      await file.close();
    }
  }

  /** Ends a job and all its children; resolves when nothing of it runs. */
  async kill(id: string): Promise<JobState | undefined> {
    const job = this.#jobs.get(id);
    if (!job) return undefined;
    if (job.status === "running") await this.#end(job, "killed");
    return stateOf(job);
  }

  #follow(job: Job, child: ChildProcess): void {
    child.once("exit", (code) => {
      if (job.status === "running") job.status = "ended";
      job.exitCode = code;
    });
    this.#watch(job);
  }

  /** Looks until nothing of the group runs. The timer does not keep our process alive. */
  #watch(job: Job): void {
    const { clock } = this.#options;
    const look = async () => {
      if (!isGroupAlive(job.pid)) return this.#forget(job);
      const size = await stat(job.path).then(
        (file) => file.size,
        () => 0,
      ); // a file that was taken away is no reason to stop
      if (size > MOST_BYTES && job.status === "running") await this.#end(job, "too-much-output");
      this.#watch(job);
    };
    clock.after(WATCH_EVERY_MS, () => void look(), { unref: true });
  }

  /** Nothing of the job runs any more: told once. */
  #forget(job: Job): void {
    if (!job.isGone) this.#options.onProcessEnd?.(job.pid);
    job.isGone = true;
  }

  async #end(job: Job, status: JobState["status"]): Promise<void> {
    job.status = status;
    signalGroup(job.pid, "SIGTERM");
    await this.#untilGone(job, KILL_AFTER_MS);
    if (!isGroupAlive(job.pid)) return;
    signalGroup(job.pid, "SIGKILL");
    await this.#untilGone(job, KILL_AFTER_MS);
  }

  /** Processes take real time to end, whatever the clock says. */
  async #untilGone(job: Job, mostMs: number): Promise<void> {
    for (let waited = 0; isGroupAlive(job.pid) && waited < mostMs; waited += LOOK_EVERY_MS) await sleep(systemClock, LOOK_EVERY_MS);
  }

  async #endAll(): Promise<void> {
    const running = [...this.#jobs.values()].filter((job) => isGroupAlive(job.pid));
    await Promise.all(running.map((job) => this.#end(job, "killed")));
    for (const job of running) if (!isGroupAlive(job.pid)) this.#forget(job);
  }

  #makeFolder(): string {
    if (this.#folder === undefined) {
      const { folder } = this.#options;
      if (folder !== undefined) makeFolder(folder);
      this.#folder = folder ?? mkdtempSync(join(tmpdir(), "flower-jobs-"));
    }
    return this.#folder;
  }
}

function stateOf({ id, status, exitCode, path }: Job): JobState {
  return { id, status, path, ...(exitCode === undefined ? {} : { exitCode }) };
}
