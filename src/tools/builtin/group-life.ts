import { readdirSync, readFileSync } from "node:fs";
import { hasCode } from "../../core/files.ts";

/** Sends a signal to every process of a group; a group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}

/** True while a process of the group runs. Dead ones that nobody reaped (usual in containers without an init) do not count. */
export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
  return process.platform !== "linux" || hasRunningMember(pid);
}

function hasRunningMember(group: number): boolean {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    // "pid (any name) state ppid pgrp …"
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(pgrp) === group && state !== "Z" && state !== "X") return true;
  }
  return false;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}
