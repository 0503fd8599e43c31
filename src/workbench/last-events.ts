import { type FileHandle, open } from "node:fs/promises";
import { hasCode } from "../core/files.ts";
import type { LoggedEvent } from "../messages/event.ts";
import { toLoggedEvent } from "./event-reader.ts";

export interface LastEventsOptions {
  /** At most this many. */
  readonly count: number;
  readonly wanted: (event: LoggedEvent) => boolean;
}

const LINE_FEED = 10;
const CHUNK_BYTES = 65_536;

/** The last wanted events of a log, oldest first; none when there is no file. Reads only as much of its tail as that takes. */
export async function lastEvents(path: string, options: LastEventsOptions): Promise<readonly LoggedEvent[]> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  try {
    return await readBackwards(file, options);
  } finally {
    await file.close();
  }
}

async function readBackwards(file: FileHandle, { count, wanted }: LastEventsOptions): Promise<readonly LoggedEvent[]> {
  const newestFirst: LoggedEvent[] = [];
  let { size: start } = await file.stat();
  let rest = Buffer.alloc(0); // of a line that begins further up
  while (start > 0 && newestFirst.length < count) {
    const length = Math.min(CHUNK_BYTES, start);
    start -= length;
    const chunk = Buffer.alloc(length);
    await file.read(chunk, 0, length, start);
    const known = Buffer.concat([chunk, rest]);
    const lineStart = start === 0 ? 0 : known.indexOf(LINE_FEED) + 1 || known.length;
    rest = known.subarray(0, lineStart);
    for (const line of known.toString("utf8", lineStart).split("\n").reverse()) {
      const event = toLoggedEvent(line);
      if (event && wanted(event) && newestFirst.length < count) newestFirst.push(event);
    }
  }
  return newestFirst.reverse();
}
