import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** All that it printed. */
  readonly output: string;
}

/** Runs a script of the folder `children` as a process of its own, to its end. */
export async function runChild(script: string, ...args: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(new URL(`./children/${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [[code, signal], output] = await Promise.all([
    once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
  ]);
  return { code, signal, output };
}
