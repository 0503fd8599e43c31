import { readFileSync } from "node:fs";
import { hasCode } from "./files.ts";

/** What the system tells of a process; only Linux does. */
export interface ProcessState {
  /** When it began, in clock ticks since boot: with its id this names a process for good. */
  readonly start: string;
  /** It is dead, and its parent has not looked yet. */
  readonly hasEnded: boolean;
}

/** Undefined when there is no such process, and where the system does not tell. */
export function processState(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may hold anything
    const start = fields[19];
    return start === undefined ? undefined : { start, hasEnded: fields[0] === "Z" };
  } catch {
    return undefined;
  }
}

/** Whether a process of this id runs, whoever owns it. One that has ended does not, whether or not its parent has looked. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, "EPERM")) return false;
  }
  return processState(pid)?.hasEnded !== true;
}
