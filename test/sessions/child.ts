import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with the next line that it prints. */
  line(): Promise<string>;
  /** Resolves with exit code and signal. */
  readonly exit: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
}

/** Starts a script of the folder `children` as a process of its own. */
export function startChild(script: string, ...args: readonly string[]): Child {
  const file = fileURLToPath(new URL(`./children/${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    process: child,
    exit,
    async line() {
      const [chunk] = await Promise.race([once(child.stdout!, "data"), exit.then(() => ["exited"])]);
      return String(chunk).trim();
    },
  };
}
