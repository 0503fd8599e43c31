import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanChannel } from "../../src/human/channel.ts";
import type { HumanChannelOptions } from "../../src/human/channel-options.ts";
import type { AskPayload, Event } from "../../src/messages/event.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

/** A channel in a folder of its own, with a clock that stands still and its events collected. */
export interface Desk extends AsyncDisposable {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly events: Event[];
  readonly log: string;
  readonly brief: string;
  readonly store: string;
  open(options?: HumanChannelOptions): HumanChannel;
  read(path: string): Promise<string>;
}

export async function makeDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), "human-"));
  const clock = new FakeClock();
  const events: Event[] = [];
  const at = (name: string) => join(folder, name);
  return {
    folder,
    clock,
    events,
    log: at("questions.md"),
    brief: at("notes/brief.md"),
    store: at("runs/r1/asks.json"),
    open: (options) => new HumanChannel({ clock, onEvent: (event) => void events.push(event), ...options }),
    read: (path) => readFile(path, "utf8"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }), // a log may still be written
  };
}

/** `q1 asked`, `q1 answered`, `m1 queued` …: what a UI sees of each event. */
export function seen(events: readonly Event[]): string[] {
  return events.map((event) => {
    const payload = event.payload as AskPayload;
    return `${payload.id} ${payload.state}`;
  });
}

/** Lets everything that needs no file and no time happen. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when `count` questions wait. */
export async function waiting(channel: HumanChannel, count = 1): Promise<void> {
  while (channel.pending().length < count) await settle();
}
