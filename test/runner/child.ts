import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startScript } from "../script.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** All that it printed. */
  readonly output: string;
}

/** Runs a script of the folder `children` as a process of its own, to its end. */
export async function runChild(script: string, ...args: readonly string[]): Promise<Ended> {
  const child = startScript(`runner/children/${script}`, ...args).process;
  const [[code, signal], output] = await Promise.all([
    once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
  ]);
  return { code, signal, output };
}
