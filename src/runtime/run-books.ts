import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Bell } from "../core/bell.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { makeFolder, replaceFile } from "../core/files.ts";
import { newRunId } from "../core/ids.ts";
import type { Event, LoggedEvent } from "../messages/event.ts";
import { EventLog } from "../workbench/event-log.ts";
import { appendManifestRows } from "../workbench/manifest.ts";
import { eventsPath, followChain, toCursor } from "../workbench/run-chain.ts";
import { checkRunFolder } from "../workbench/run-folder.ts";
import { ProcessRecord } from "./process-record.ts";
import type { StepResult } from "./step-result.ts";

export interface RunBooksOptions {
  /** Absolute. */
  readonly runDir: string;
  readonly clock: Clock;
}

export interface EventsOptions {
  /** A cursor: `runId:seq`, or a sequence number of this run. Default 0: this run from its first event. */
  readonly after?: string | number;
  readonly signal?: AbortSignal;
}

/** The books are no part of the work: neither for Git, nor, in a folder without Git, for an agent's searches. */
const IGNORES = [".gitignore", ".ignore"] as const;

/** The files of one run: event log, manifest rows, verdicts, background processes. Everything here is whole at any moment. */
export class RunBooks {
  readonly runId: string;
  /** `<runDir>/<runId>`. */
  readonly folder: string;
  readonly manifestPath: string;
  readonly lineagePath: string;
  readonly asksPath: string;
  readonly eventsPath: string;
  readonly processes: ProcessRecord;
  /** The runs that this one goes on from, oldest first; set before `open`. */
  earlier: readonly string[] = [];
  readonly #options: RunBooksOptions;
  readonly #lineListeners = new Set<(line: string) => void>();
  readonly #changeListeners = new Set<() => void>();
  /** Of each step under way: its result as if it ended now with this error. */
  readonly #rows = new Set<(error: string) => StepResult>();
  /** By step and start: the error that a row under way was written with. */
  readonly #rescued = new Map<string, string>();
  #early: Event[] = [];
  #log: EventLog | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RunBooksOptions) {
    this.#options = options;
    const { runDir } = options;
    this.runId = newRunId(options.clock.now());
    this.folder = join(runDir, this.runId);
    this.manifestPath = join(runDir, "manifest.json");
    this.lineagePath = join(runDir, "lineage.json");
    this.asksPath = join(this.folder, "asks.json");
    this.eventsPath = eventsPath(runDir, this.runId);
    this.processes = new ProcessRecord(join(this.folder, "processes.json"));
  }

  /** Makes the folders and opens the log; safe to call often. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** The event gets its sequence number at once; it is on disk within 50 ms. Before `open` it waits. */
  log(event: Event): void {
    if (this.#log) this.#log.append(event);
    else this.#early.push(event);
  }

  /** Calls `listener` with each line of the log, byte for byte, once it is on disk; the returned function ends that. */
  onLine(listener: (line: string) => void): () => void {
    this.#lineListeners.add(listener);
    return () => this.#lineListeners.delete(listener);
  }

  /** The log behind a cursor, over the whole chain of runs, then live until it is closed. See `Runtime.events`. */
  async *events({ after, signal }: EventsOptions = {}): AsyncGenerator<LoggedEvent, void, void> {
    const cursor = toCursor(after, this.runId);
    if (cursor.run !== this.runId) await this.#opened(signal); // only then the chain is known
    if (signal?.aborted) return;
    const follow = {
      clock: this.#options.clock,
      isOver: () => this.#isClosed,
      signal,
      onChange: (tell: () => void) => this.#onChange(tell),
    };
    for await (const { event } of followChain(this.#options.runDir, { ...follow, runs: [...this.earlier, this.runId], after: cursor }))
      yield event;
  }

  /** The run that this one goes on from. */
  get continues(): string | undefined {
    return this.earlier.at(-1);
  }

  /** Adds a step to the manifest; gives where a manifest that could not be read was set aside. */
  async addRow(result: StepResult): Promise<string | undefined> {
    const continues = this.continues === undefined ? {} : { continues: this.continues };
    const rescued = result.errorKind === "aborted" ? this.#rescued.get(rowKey(result)) : undefined;
    const row = { run: this.runId, ...continues, ...result, ...(rescued === undefined ? {} : { error: rescued }) };
    const { aside } = await appendManifestRows(this.manifestPath, [row]);
    return aside;
  }

  /** A step is under way: `row` gives its result as if it ended now with this error. The returned function ends that. */
  keepRow(row: (error: string) => StepResult): () => void {
    this.#rows.add(row);
    return () => void this.#rows.delete(row);
  }

  /** Before the process goes: writes the steps under way to the manifest with this error, which stays when they are aborted then. */
  async rescue(error: string): Promise<void> {
    const results = [...this.#rows].map((row) => row(error));
    for (const result of results) this.#rescued.set(rowKey(result), error);
    for (const result of results) await this.addRow(result);
    await this.flush();
  }

  async sessionsPath(): Promise<string> {
    await this.open();
    return join(this.#options.runDir, "sessions.db");
  }

  /** Keeps a verdict as `verdicts/<name>.json` and `.md`, out of reach of those it is about. */
  async saveVerdict(name: string, verdict: unknown, markdown: string): Promise<void> {
    const path = join(this.folder, "verdicts", basename(name.replaceAll(/[/\\]/g, "_")));
    await replaceFile(`${path}.json`, `${JSON.stringify(verdict, null, 2)}\n`);
    await replaceFile(`${path}.md`, markdown);
  }

  async flush(): Promise<void> {
    await this.#log?.flush();
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    try {
      await this.#log?.close();
    } finally {
      this.#log = undefined;
      this.#isClosed = true;
      this.#changed();
    }
  }

  async #open(): Promise<void> {
    const { runDir, clock } = this.#options;
    await checkRunFolder(runDir);
    makeFolder(this.folder);
    for (const name of IGNORES) await writeFile(join(runDir, name), "*\n", { flag: "wx" }).catch(() => {}); // there already: fine
    try {
      this.#log = EventLog.open(this.eventsPath, { run: this.runId, clock });
      this.#log.onLine((line) => this.#tell(line));
    } catch (error) {
      throw new FlowerError("bad-config", `The event log ${this.eventsPath} cannot be opened. Is the run folder writable?`, {
        cause: error,
      });
    }
    for (const event of this.#early.splice(0)) this.#log.append(event);
    this.#changed();
  }

  async #opened(signal: AbortSignal | undefined): Promise<void> {
    const bell = new Bell();
    const stop = this.#onChange(() => bell.ring());
    while (!this.#log && !this.#isClosed && !signal?.aborted) await bell.wait({ signal });
    stop();
  }

  #onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  #tell(line: string): void {
    for (const listener of this.#lineListeners) listener(line);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#changeListeners) listener();
  }
}

function rowKey({ step, startedAt }: StepResult): string {
  return JSON.stringify([step, startedAt]);
}
