import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { isRecord } from "../../src/core/json.ts";
import type { EventKind, EventPayloads, LoggedEvent } from "../../src/messages/event.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import type { SessionState } from "../../src/sessions/store.ts";
import type { LineageFile } from "../../src/workbench/lineage-file.ts";
import type { ManifestRow } from "../../src/workbench/manifest.ts";

/** The books of all runs in a folder, read from the files as a stranger would. */
export class Books {
  readonly folder: string;
  readonly runDir: string;

  constructor(workspace: string, runDir = "runs") {
    this.folder = workspace;
    this.runDir = join(workspace, runDir);
  }

  /** Ids, oldest first. */
  async runs(): Promise<readonly string[]> {
    const names = await readdir(this.runDir, { withFileTypes: true }).catch(() => []);
    const runs = names.filter((entry) => entry.isDirectory() && /^\d{8}-/.test(entry.name)).map((entry) => entry.name);
    return this.#byTime(runs);
  }

  async lastRun(): Promise<string> {
    const last = (await this.runs()).at(-1);
    if (last === undefined) throw new Error(`There is no run in ${this.runDir}.`);
    return last;
  }

  /** The log of a run, default the last, byte for byte. */
  async log(run?: string): Promise<string> {
    return readFile(join(this.runDir, run ?? (await this.lastRun()), "events.jsonl"), "utf8");
  }

  async events(run?: string): Promise<readonly LoggedEvent[]> {
    return toLines(await this.log(run)).map((line) => JSON.parse(line) as LoggedEvent);
  }

  /** The payloads of one kind, in order. */
  async payloads<K extends EventKind>(kind: K, run?: string): Promise<readonly EventPayloads[K][]> {
    const events = await this.events(run);
    return events.filter((event) => event.kind === kind).map((event) => event.payload as unknown as EventPayloads[K]);
  }

  /** How a run ended: what its last event says. */
  async end(run?: string): Promise<unknown> {
    const last = (await this.events(run)).at(-1);
    expect(last).toMatchObject({ kind: "task", payload: { type: "run-end" } });
    return last?.payload;
  }

  async manifest(): Promise<readonly ManifestRow[]> {
    return JSON.parse(await readFile(join(this.runDir, "manifest.json"), "utf8")) as readonly ManifestRow[];
  }

  async labels(): Promise<readonly string[]> {
    return (await this.manifest()).map((row) => row.step);
  }

  async lineage(): Promise<LineageFile["workflows"][string]> {
    const file = JSON.parse(await readFile(join(this.runDir, "lineage.json"), "utf8")) as LineageFile;
    const lineage = file.workflows["go"];
    if (!lineage) throw new Error("There is no lineage of the workflow go.");
    return lineage;
  }

  read(...path: readonly string[]): Promise<string> {
    return readFile(join(this.folder, ...path), "utf8");
  }

  note(name: string): Promise<string> {
    return this.read(".flower", "notes", name);
  }

  /** Every session, with its history checked. */
  async sessions(): Promise<readonly SessionState[]> {
    await using store = new SqliteSessionStore(join(this.runDir, "sessions.db"));
    const { ids } = await store.list();
    const states = await Promise.all(ids.map((id) => store.read(id)));
    const found = states.filter((state) => state !== undefined);
    for (const state of found) expect(checkHistory(state.history)).toEqual([]);
    return found;
  }

  /** Every document is whole: JSON parses, and every line of a log that is ended by a newline does. */
  async expectWhole(): Promise<void> {
    const names = await readdir(this.runDir, { recursive: true });
    for (const name of names.filter((each) => each.endsWith(".json"))) {
      const text = await readFile(join(this.runDir, name), "utf8");
      expect(() => JSON.parse(text), name).not.toThrow();
    }
    for (const name of names.filter((each) => each.endsWith(".jsonl"))) {
      const lines = toLines(await readFile(join(this.runDir, name), "utf8"));
      const seqs = lines.map((line) => (JSON.parse(line) as LoggedEvent).seq);
      expect(seqs, name).toEqual(seqs.map((_, index) => index + 1));
    }
    await this.sessions();
  }

  /** Run ids have seconds only: within one the logs' first lines tell. */
  async #byTime(runs: readonly string[]): Promise<readonly string[]> {
    const begun = await Promise.all(
      runs.map(async (run) => {
        const first = toLines(await this.log(run).catch(() => ""))[0];
        const event: unknown = first === undefined ? undefined : JSON.parse(first);
        return { run, at: isRecord(event) ? String(event["at"]) : "" };
      }),
    );
    return begun.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ run }) => run);
  }
}

/** Lines that are ended: a log that was being written when its process died may have half a line behind them. */
function toLines(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}
