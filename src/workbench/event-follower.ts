import { watch } from "node:fs";
import { dirname } from "node:path";
import { Bell } from "../core/bell.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { isRecord } from "../core/json.ts";
import type { LoggedEvent } from "../messages/event.ts";
import { type LogEntry, type ReadEventsOptions, toLoggedEvent } from "./event-reader.ts";
import { LogLines } from "./log-lines.ts";

export interface FollowOptions extends ReadEventsOptions {
  readonly clock?: Clock;
  /** Whether nothing more will be written. The end of the run is noticed without it, the death of its process is not. */
  readonly isOver?: () => boolean | Promise<boolean>;
  /** Calls the listener after each write; the returned function ends that. Default: the file is watched. */
  readonly onChange?: (listener: () => void) => () => void;
}

/** How long a change may stay unseen where the system reports none (network file systems). */
const POLL_MS = 250;

/**
 * The events of a log from any place on, and then those that are still written, by this or another process.
 *
 * 1. Each event behind `after` comes once, in order, without a gap; half a line is never given.
 * 2. It ends when everything on disk was given and the last event is `run-end`, or `isOver`, or the signal aborts.
 * 3. Only the file is read, at the reader's pace: memory stays flat, and a slow reader slows nobody.
 * 4. A log that does not exist yet is waited for.
 */
export async function* followEvents(path: string, options: FollowOptions = {}): AsyncGenerator<LoggedEvent, void, void> {
  for await (const { event } of followLog(path, options)) yield event;
}

/** Like {@link followEvents}, with the lines as they stand. */
export async function* followLog(path: string, options: FollowOptions = {}): AsyncGenerator<LogEntry, void, void> {
  const { after = 0, signal, clock = systemClock, isOver } = options;
  const bell = new Bell();
  const changes = options.onChange ? { keepOn: () => {}, stop: options.onChange(() => bell.ring()) } : watchFile(path, bell);
  const atMost = options.onChange ? undefined : { ms: POLL_MS, clock };
  const lines = new LogLines(path);
  let last = 0;
  let ended = false;
  try {
    for (;;) {
      changes.keepOn();
      const over = await isOver?.(); // asked before reading: what was written by then is read now
      for (let batch = await lines.next(); batch.length > 0; batch = await lines.next()) {
        for (const line of batch) {
          if (signal?.aborted) return;
          const event = toLoggedEvent(line);
          if (!event || event.seq <= last) continue;
          last = event.seq;
          ended = isRunEnd(event);
          if (event.seq > after) yield { line, event };
        }
      }
      if (over || ended || signal?.aborted) return;
      await bell.wait({ signal, atMost });
    }
  } finally {
    changes.stop();
    await lines.close();
  }
}

/** The last event of a run. */
function isRunEnd({ kind, payload }: LoggedEvent): boolean {
  return kind === "task" && isRecord(payload) && payload["type"] === "run-end";
}

interface Changes {
  /** Begins to watch, as soon as there is something to watch. */
  readonly keepOn: () => void;
  readonly stop: () => void;
}

/** The folder is watched, because the file may not be there yet. Where that cannot be done, polling has to do. */
function watchFile(path: string, bell: Bell): Changes {
  let stop: (() => void) | undefined;
  let cannot = false;
  const keepOn = () => {
    if (stop || cannot) return;
    try {
      const watcher = watch(dirname(path), { persistent: false }, () => bell.ring());
      stop = () => watcher.close();
      watcher.on("error", () => {
        watcher.close();
        cannot = true;
        stop = undefined;
      });
    } catch {
      stop = undefined; // no such folder yet, or no watches left
    }
  };
  return { keepOn, stop: () => stop?.() };
}
