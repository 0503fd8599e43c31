import { createReadStream } from "node:fs";
import { hasCode } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { LoggedEvent } from "../messages/event.ts";

export interface ReadEventsOptions {
  /** Gives the events behind this sequence number. Default 0: all. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/**
 * The events of a log that are on disk now, in order; none when there is no file. Half a line at the end (the log is
 * being written, or its writer was killed) is not given, lines that cannot be read are passed over. Memory stays flat.
 */
export async function* readEvents(path: string, options: ReadEventsOptions = {}): AsyncGenerator<LoggedEvent, void, void> {
  const after = options.after ?? 0;
  for await (const line of wholeLines(path, options.signal)) {
    const event = parseJson(line);
    if (isLoggedEvent(event) && event.seq > after) yield event;
  }
}

/** Only `\n` ends a line: JSON may contain every other line separator. */
async function* wholeLines(path: string, signal: AbortSignal | undefined): AsyncGenerator<string, void, void> {
  let parts: string[] = [];
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8", ...(signal ? { signal } : {}) })) {
      const lines = (chunk as string).split("\n");
      parts.push(lines[0] ?? "");
      if (lines.length === 1) continue;
      yield parts.join("");
      yield* lines.slice(1, -1);
      parts = [lines.at(-1) ?? ""];
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
  }
}

function isLoggedEvent(value: unknown): value is LoggedEvent {
  return isRecord(value) && typeof value["seq"] === "number" && typeof value["kind"] === "string";
}
