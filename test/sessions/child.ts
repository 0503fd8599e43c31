import { type Script, startScript } from "../script.ts";

/** Starts a script of the folder `children` as a process of its own. */
export function startChild(script: string, ...args: readonly string[]): Script {
  return startScript(`sessions/children/${script}`, ...args);
}
