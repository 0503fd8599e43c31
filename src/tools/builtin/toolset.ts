import { isAbsolute } from "node:path";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FlowerError } from "../../core/errors.ts";
import type { ToolContext } from "../tool.ts";
import { BackgroundJobs } from "./background-jobs.ts";
import type { Environment } from "./environment.ts";
import { Grants } from "./grants.ts";
import { PathLocks } from "./path-locks.ts";
import { type ResolvedPath, type Roots, resolvePath } from "./paths.ts";
import { ReadState } from "./read-state.ts";

/** A shell command's process group. */
export interface ToolProcess {
  /** Of the group's leader, hence also the group's id. */
  readonly pid: number;
  /** ISO instant. */
  readonly startedAt: string;
  readonly command: string;
}

export interface BuiltinOptions {
  /** Absolute. Relative paths and commands start here. */
  readonly workspace: string;
  /** Further folders that may be read and written. */
  readonly addDirs?: readonly string[];
  /** What commands inherit, credentials left out. Default: this process's environment. */
  readonly env?: Environment;
  /** Names of environment variables that commands get although they look like credentials. */
  readonly passEnv?: readonly string[];
  /** Where the output of background commands is kept. Default: a temporary folder. */
  readonly jobsFolder?: string;
  /** At its abort background commands are ended. */
  readonly lifetime?: AbortSignal;
  /** Given, at that abort, what resolves when no background command runs any more. */
  readonly onJobsEnding?: (gone: Promise<void>) => void;
  /** Hosts that WebFetch may ask although their address is private. */
  readonly allowHosts?: readonly string[];
  readonly clock?: Clock;
  /** Calls that may leave the roots; share it with the permission guard. Without it none may. */
  readonly grants?: Grants;
  readonly onProcess?: (process: ToolProcess) => void;
  /** Nothing of the process group is left. Not called while a background child lives. */
  readonly onProcessEnd?: (pid: number) => void;
}

/** What the built-in tools of one run share. */
export interface Toolset {
  readonly options: BuiltinOptions;
  readonly roots: Roots;
  readonly clock: Clock;
  readonly reads: ReadState;
  readonly locks: PathLocks;
  readonly grants: Grants;
  readonly jobs: BackgroundJobs;
}

/** Throws `bad-config` when the workspace or one of `addDirs` is not absolute. */
export function makeToolset(options: BuiltinOptions): Toolset {
  for (const folder of [options.workspace, ...(options.addDirs ?? [])]) {
    if (!isAbsolute(folder)) throw new FlowerError("bad-config", `The built-in tools need absolute folders, not "${folder}".`);
  }
  const clock = options.clock ?? systemClock;
  const { workspace, jobsFolder, lifetime, onJobsEnding, onProcess, onProcessEnd } = options;
  return {
    options,
    jobs: new BackgroundJobs({ cwd: workspace, clock, folder: jobsFolder, lifetime, onJobsEnding, onProcess, onProcessEnd }),
    roots: { workspace: options.workspace, addDirs: options.addDirs ?? [] },
    clock,
    reads: new ReadState(),
    locks: new PathLocks(),
    grants: options.grants ?? new Grants(),
  };
}

/** The path a call may touch, or the text that says why it may not. */
export async function pathFor(written: string, toolset: Toolset, context: ToolContext): Promise<ResolvedPath | string> {
  const resolved = await resolvePath(written, toolset.roots);
  if (typeof resolved === "string" || resolved.inside || toolset.grants.has(context)) return resolved;
  return `${resolved.shown} is outside the workspace (${toolset.roots.workspace}), and this call has no permission to leave it. Work with files inside.`;
}
