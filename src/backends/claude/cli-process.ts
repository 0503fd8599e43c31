import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Clock } from "../../core/clock.ts";
import type { SdkProcess, SdkSpawn } from "./sdk.ts";

/** It ends its own commands when asked to end; who does not within this time is killed. Leaves room within 2 s. */
const GRACE_MS = 1_200;
const STDERR_CHARS = 2_000;

/** The CLI's process of one query. */
export class CliProcess {
  readonly #clock: Clock;
  #child: ChildProcessWithoutNullStreams | undefined;
  #gone: Promise<void> = Promise.resolve();
  #stderr = "";

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The end of what it wrote to stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  readonly spawn = ({ command, args, cwd, env }: SdkSpawn): SdkProcess => {
    const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    child.stdin.on("error", () => {}); // it may be gone before it has read everything
    this.#gone = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    return child;
  };

  /** Resolves when the process is gone; one that does not end by itself is ended. */
  async end(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const cancel = this.#clock.after(GRACE_MS, () => child.kill("SIGKILL"));
    await this.#gone;
    cancel();
  }
}
