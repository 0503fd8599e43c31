import { renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hasCode, makeFolder, readText } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import { processState } from "../core/process-state.ts";

/** A command's process group, as recorded. */
export interface RecordedProcess {
  /** Of the group's leader, hence the group's id. */
  readonly pid: number;
  /** ISO instant. */
  readonly startedAt: string;
  readonly command: string;
}

/**
 * The process groups that a run's commands have started and that may still live. Written before anything else happens, in one
 * step: a kill of ours leaves the groups alive, and the next start ends them.
 */
export class ProcessRecord {
  readonly #path: string;
  readonly #alive = new Map<number, RecordedProcess & { readonly ticks?: string }>();

  constructor(path: string) {
    this.#path = path;
  }

  add(started: RecordedProcess): void {
    this.#alive.set(started.pid, { ...started, ticks: processState(started.pid)?.start });
    this.#write();
  }

  remove(pid: number): void {
    if (this.#alive.delete(pid)) this.#write();
  }

  /** Groups of which something still runs, as far as is known. */
  get alive(): readonly RecordedProcess[] {
    return [...this.#alive.values()];
  }

  #write(): void {
    makeFolder(dirname(this.#path));
    const temporary = `${this.#path}.new`;
    writeFileSync(temporary, `${JSON.stringify([...this.#alive.values()], null, 2)}\n`);
    renameSync(temporary, this.#path);
  }
}

/** Ends the groups that an earlier run left alive. A pid that now belongs to another process is left alone. Returns what was ended. */
export async function endLeftovers(path: string): Promise<readonly string[]> {
  const recorded = parseJson((await readText(path)) ?? "[]");
  if (!Array.isArray(recorded)) return [];
  const ended: string[] = [];
  for (const item of recorded) {
    if (!isRecord(item) || typeof item["pid"] !== "number" || typeof item["ticks"] !== "string") continue;
    if (processState(item["pid"])?.start !== item["ticks"]) continue; // also of a leader that has ended: others of its group may live
    if (endGroup(item["pid"])) ended.push(String(item["command"]));
  }
  return ended;
}

function endGroup(pid: number): boolean {
  try {
    process.kill(-pid, "SIGKILL");
    return true;
  } catch (error) {
    if (hasCode(error, "ESRCH", "EPERM")) return false;
    throw error;
  }
}
