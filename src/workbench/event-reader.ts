import { throwIfAborted } from "../core/abort.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { LoggedEvent } from "../messages/event.ts";
import { LogLines } from "./log-lines.ts";

export interface ReadEventsOptions {
  /** Gives the events behind this sequence number. Default 0: all. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** One line of a log. */
export interface LogEntry {
  /** Byte for byte, without the line feed. */
  readonly line: string;
  readonly event: LoggedEvent;
}

/**
 * The events of a log that are on disk now, in order; none when there is no file. Half a line at the end (the log is
 * being written, or its writer was killed) is not given, lines that cannot be read are passed over. Memory stays flat.
 */
export async function* readEvents(path: string, options: ReadEventsOptions = {}): AsyncGenerator<LoggedEvent, void, void> {
  for await (const batch of batches(path, options)) for (const { event } of batch) yield event;
}

/** Like {@link readEvents}, with the lines as they stand. */
export async function* readLog(path: string, options: ReadEventsOptions = {}): AsyncGenerator<LogEntry, void, void> {
  for await (const batch of batches(path, options)) yield* batch;
}

/** What one read of the file gives: a step of an asynchronous iteration costs more than parsing a line. */
async function* batches(path: string, { after = 0, signal }: ReadEventsOptions): AsyncGenerator<readonly LogEntry[], void, void> {
  const lines = new LogLines(path);
  try {
    for (let batch = await lines.next(); batch.length > 0; batch = await lines.next()) {
      throwIfAborted(signal);
      yield batch.flatMap((line) => {
        const event = toLoggedEvent(line);
        return event && event.seq > after ? [{ line, event }] : [];
      });
    }
  } finally {
    await lines.close();
  }
}

/** Undefined for a line that is no event. */
export function toLoggedEvent(line: string): LoggedEvent | undefined {
  const value = parseJson(line);
  return isLoggedEvent(value) ? value : undefined;
}

function isLoggedEvent(value: unknown): value is LoggedEvent {
  return isRecord(value) && typeof value["seq"] === "number" && typeof value["kind"] === "string";
}
