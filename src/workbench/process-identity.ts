import { readFile } from "node:fs/promises";
import { hasCode } from "../core/files.ts";

/** When a process began, as the system counts it; undefined where the system does not tell (only Linux does). */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text === "" ? undefined : text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}

/** True when there is a process of this id, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
