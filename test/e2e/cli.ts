import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

export interface CliOptions {
  /** The folder the process stands in. */
  readonly cwd: string;
  /** Beside the bare minimum; no provider's variable comes from our own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `flower` process under way. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** As a crash would: nothing of ours runs any more. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** A new empty folder that goes with the test. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "flower-e2e-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Runs the command line to its end, with nobody at a terminal. */
export async function flower(args: readonly string[], options: CliOptions): Promise<Ended> {
  return (await startFlower(args, options)).ended;
}

export async function startFlower(args: readonly string[], options: CliOptions): Promise<Running> {
  return startNode([inject("cli"), ...args], options);
}

/** Runs node with a clean environment. */
export async function startNode(args: readonly string[], { cwd, env }: CliOptions): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd, env: { ...(await cleanEnvironment()), ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("node did not start");
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return { child, pid, ended, kill };
}

export async function cleanEnvironment(): Promise<Record<string, string>> {
  return { PATH: process.env["PATH"] ?? "", HOME: await newFolder(), LANG: "C", FLOWER_RETRY_DELAY_MS: "5" };
}
