import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, readText } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";

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
    this.#alive.set(started.pid, { ...started, ticks: startTicks(started.pid) });
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
    mkdirSync(dirname(this.#path), { recursive: true });
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
    if (!(await isGroupOf(item["pid"], item["ticks"]))) continue;
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

async function isGroupOf(pid: number, ticks: string): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text !== undefined && ticksOf(text) === ticks;
}

/** When a process started, in clock ticks since boot: with the pid it names a process for good. Undefined off Linux. */
function startTicks(pid: number): string | undefined {
  try {
    return ticksOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

function ticksOf(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
