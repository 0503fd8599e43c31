import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import { FlowerError, messageOf } from "../core/errors.ts";
import { makeFolder } from "../core/files.ts";
import { isRecord, type Json, toJson } from "../core/json.ts";
import type { Event, LoggedEvent } from "../messages/event.ts";
import { findLogEnd } from "./log-end.ts";
import { maskSecrets } from "./secrets.ts";

/** Gets each line of the log, without its line feed. */
export type LineListener = (line: string) => void;

export interface EventLogOptions {
  /** The run's id, which every line carries. */
  readonly run: string;
  readonly clock?: Clock;
  /** Told once when lines cannot be written, and of a listener that throws. The log goes on: it tries again with the next flush. */
  readonly onError?: (error: FlowerError) => void;
}

/** With the time of a write, lines are readable within the promised 50 ms. */
const FLUSH_MS = 40;

/**
 * The durable log of one run's events, `events.jsonl`.
 *
 * 1. Sequence numbers are given at append, from 1, without gaps; a log that is opened again goes on where it ended.
 * 2. A line is on disk within 50 ms; a question's, and one that says what was spent, at once. What is on disk survives a kill of the
 *    process.
 * 3. Each flush is one append of whole lines. Half a line, left by a kill, is cut off when the log is opened.
 * 4. Secrets are masked before anyone, on disk or in memory, gets the logged event.
 * 5. Listeners get the lines byte for byte, in order, and only once they are on disk.
 * 6. `delta` events are never logged, nor anything after `close()`.
 *
 * One process writes a log at a time; the run's lock sees to that.
 */
export class EventLog implements AsyncDisposable {
  readonly path: string;
  readonly #run: string;
  readonly #clock: Clock;
  readonly #onError: (error: FlowerError) => void;
  readonly #listeners = new Set<LineListener>();
  #lines: string[] = [];
  #fd: number | undefined;
  #size: number;
  #seq: number;
  #cancelFlush: (() => void) | undefined;
  #hasFailed = false;
  readonly #untold: string[] = [];
  #isTelling = false;

  private constructor(path: string, options: EventLogOptions) {
    this.path = path;
    this.#run = options.run;
    this.#clock = options.clock ?? systemClock;
    this.#onError = options.onError ?? (() => {});
    makeFolder(dirname(path));
    this.#fd = openSync(path, "a+", 0o600);
    const end = findLogEnd(this.#fd);
    this.#size = end.size;
    this.#seq = end.seq;
    ftruncateSync(this.#fd, end.size);
  }

  /** Opens or begins the log. */
  static open(path: string, options: EventLogOptions): EventLog {
    return new EventLog(path, options);
  }

  /** The last sequence number that was given; 0 before the first. */
  get lastSeq(): number {
    return this.#seq;
  }

  /** Gives the event its place in the run; undefined for what is not logged. Never throws. */
  append(event: Event): LoggedEvent | undefined {
    if (event.kind === "delta" || this.#fd === undefined) return undefined;
    this.#seq += 1;
    const at = toInstant(this.#clock.now());
    const logged: LoggedEvent = {
      run: this.#run,
      seq: this.#seq,
      at,
      kind: event.kind,
      text: event.text,
      tool: event.tool,
      payload: event.payload as Json,
    };
    const line = toLine(logged);
    const masked = maskSecrets(line);
    this.#lines.push(masked);
    if (isUrgent(event)) this.#tryFlush();
    else this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => this.#tryFlush());
    return masked === line ? logged : (JSON.parse(masked) as LoggedEvent);
  }

  /** Calls the listener with every line that gets to disk from now on; the returned function ends that. */
  onLine(listener: LineListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what waits. Throws when that fails; the lines are kept and written with the next flush. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#fd === undefined || this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#write(this.#fd, Buffer.from(`${lines.join("\n")}\n`));
    this.#lines = [];
    this.#hasFailed = false;
    for (const line of lines) this.#untold.push(line);
    this.#tellAll();
  }

  /** Writes what waits and closes the file, also when writing fails, which it then throws. */
  async close(): Promise<void> {
    if (this.#fd === undefined) return;
    try {
      this.flush();
      fdatasyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
      this.#fd = undefined;
      this.#listeners.clear();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #tryFlush(): void {
    try {
      this.flush();
    } catch (error) {
      if (!this.#hasFailed) this.#onError(toLogError(error, `Events cannot be written to ${this.path}`));
      this.#hasFailed = true;
    }
  }

  /** Writes all or, as far as the disk allows, nothing. */
  #write(fd: number, bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
    } catch (error) {
      if (written > 0) ftruncateSync(fd, this.#size);
      throw error;
    }
    this.#size += written;
  }

  /** In order also when a listener appends: what that writes is told after what is being told. */
  #tellAll(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let line = this.#untold.shift(); line !== undefined; line = this.#untold.shift()) this.#tell(line);
    this.#isTelling = false;
  }

  #tell(line: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(line);
      } catch (error) {
        this.#onError(toLogError(error, "A listener of the event log threw"));
      }
    }
  }
}

/** What is paid for stays in the books, however soon the process ends: a reply is kept only after its event. */
function isUrgent({ kind, payload }: Event): boolean {
  return kind === "ask" || (isRecord(payload) && "usage" in payload && payload.usage !== undefined);
}

function toLine(logged: LoggedEvent): string {
  try {
    return JSON.stringify(logged);
  } catch {
    return JSON.stringify({ ...logged, payload: toJson(logged.payload) });
  }
}

function toLogError(error: unknown, what: string): FlowerError {
  return new FlowerError("unknown", `${what}: ${messageOf(error)}`, { cause: error });
}
