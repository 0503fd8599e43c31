import { hostname } from "node:os";
import { isAlive, processState } from "./process-state.ts";

/** Names this process for good, also after its id has gone to another one: host, id and, where the system tells, its start. */
export function processMark(): string {
  return `${hostname()} ${process.pid} ${processState(process.pid)?.start ?? "-"}`;
}

/** Whether the process of a mark is certainly gone. False for processes of other machines and wherever there is doubt. */
export function isGone(mark: string): boolean {
  const [host, id, start] = mark.split(" ");
  const pid = Number(id);
  if (host !== hostname() || !Number.isInteger(pid) || pid <= 0) return false;
  if (!isAlive(pid)) return true;
  const now = processState(pid)?.start;
  return now !== undefined && start !== "-" && start !== now;
}
