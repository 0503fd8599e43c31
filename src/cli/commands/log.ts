import { once } from "node:events";
import type { Event } from "../../messages/event.ts";
import type { FoundRun } from "../../server/find-run.ts";
import type { LogEntry } from "../../workbench/event-reader.ts";
import { followChain, readChain } from "../../workbench/run-chain.ts";
import { readRunLocks } from "../../workbench/run-lock.ts";
import { lookForRun, type PlaceOptions, type RunSight, refuse, whyNoRemote } from "../control-place.ts";
import { Render } from "../terminal/render.ts";

export interface LogOptions extends PlaceOptions {
  readonly color: boolean;
  readonly verbose: boolean;
  readonly follow: boolean;
}

const PLAIN_COLUMNS = 110;

/** Prints the log of the run in this folder, with the runs that it goes on from; `--follow` until it ends. Gives the exit code. */
export async function log(options: LogOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found } = sight;
  if (!found) return refuse(whyNoRemote(sight));
  const { stdout } = process;
  let isOpen = true;
  stdout.on("error", () => {
    isOpen = false; // the reader went away: `flower log | head`
  });
  const show = options.json ? showLine : showEvent(sight, options);
  for await (const entry of entries(found, sight, options.follow)) {
    if (!isOpen) break;
    if (!show(entry)) await Promise.race([once(stdout, "drain"), once(stdout, "close")]).catch(() => {});
  }
  return 0;
}

function entries(found: FoundRun, { place }: RunSight, follow: boolean): AsyncIterable<LogEntry> {
  const runs = found.chain;
  const after = { run: runs[0] ?? found.run, seq: 0 };
  if (!follow) return readChain(place.runDir, { runs, after });
  const isOver = async () => (await readRunLocks(place.runDir)).every((holder) => holder.runId !== found.run);
  return followChain(place.runDir, { runs, after, isOver });
}

/** False when standard output wants a pause. */
function showLine({ line }: LogEntry): boolean {
  return process.stdout.write(`${line}\n`);
}

function showEvent({ language }: RunSight, { color, verbose }: LogOptions): (entry: LogEntry) => boolean {
  const { stdout, env } = process;
  let isReady = true;
  const render = new Render({
    write: (text) => {
      isReady = stdout.write(text);
    },
    language,
    verbose,
    color: color && stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    width: () => stdout.columns ?? PLAIN_COLUMNS,
  });
  return ({ event }) => {
    isReady = true;
    render.event(event as unknown as Event); // our own log's line; kinds that Render does not know print nothing
    return isReady;
  };
}
