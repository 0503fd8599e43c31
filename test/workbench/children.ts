import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { startScript } from "../script.ts";

/** Starts a program of `children/` as a process of its own. */
export function startChild(name: string, ...args: readonly string[]): ChildProcess {
  return startScript(`workbench/children/${name}`, ...args).process;
}

/** Waits for the child's end; gives its exit code, null when it was killed. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode; // it was faster
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** Kills at once, as a power cut would. */
export async function killHard(child: ChildProcess): Promise<void> {
  const end = ended(child);
  child.kill("SIGKILL");
  await end;
}

/** Everything the child prints, until `enough` says so. */
export async function printed(child: ChildProcess, enough: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (enough(text)) break;
  }
  return text;
}
