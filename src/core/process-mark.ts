import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { hasCode } from "./files.ts";

/** Names this process for good, also after its id has gone to another one: host, id and, where the system tells, its start. */
export function processMark(): string {
  return `${hostname()} ${process.pid} ${startOf(process.pid) ?? "-"}`;
}

/** Whether the process of a mark is certainly gone. False for processes of other machines and wherever there is doubt. */
export function isGone(mark: string): boolean {
  const [host, id, start] = mark.split(" ");
  const pid = Number(id);
  if (host !== hostname() || !Number.isInteger(pid) || pid <= 0) return false;
  if (!exists(pid)) return true;
  const now = startOf(pid);
  return now !== undefined && start !== "-" && start !== now;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

/** In clock ticks since boot. Only Linux tells. A dead child whose parent has not looked yet counts as gone. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? "ended" : fields[18];
  } catch {
    return undefined;
  }
}
