import { readFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { Agent, type AgentOptions } from "../../src/agents/agent.ts";
import { type Script, ScriptedEngine } from "../../src/engines/scripted.ts";
import type { Event, EventKind, EventOf, LoggedEvent } from "../../src/messages/event.ts";
import { Runtime, type RuntimeOptions } from "../../src/runtime/runtime.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import type { ManifestRow } from "../../src/workbench/manifest.ts";
import { newFolder } from "../folder.ts";

/** A Runtime with a scripted model in a workspace of its own; its time moves only in `finish`. */
export interface Bench {
  readonly folder: string;
  readonly clock: FakeClock;
  readonly engine: ScriptedEngine;
  readonly runtime: Runtime;
  /** What the sink `note` was given. */
  readonly events: Event[];
  readonly note: (event: Event) => void;
  of<K extends EventKind>(kind: K): readonly EventOf<K>[];
  /** Lets time pass until the promise has settled. */
  finish<T>(promise: Promise<T>): Promise<T>;
  log(): Promise<readonly LoggedEvent[]>;
  manifest(): Promise<readonly ManifestRow[]>;
}

export function openBench(script: Script, options: RuntimeOptions = {}, folder = newFolder()): Bench {
  const clock = new FakeClock();
  const engine = new ScriptedEngine(script);
  const runtime = new Runtime({ workspace: folder, engine, clock, ...options });
  onTestFinished(() => runtime.close());
  const events: Event[] = [];
  return {
    folder,
    clock,
    engine,
    runtime,
    events,
    note: (event) => void events.push(event),
    of: <K extends EventKind>(kind: K) => events.filter((event): event is EventOf<K> & Event => event.kind === kind),
    finish: (promise) => passTime(promise, clock),
    async log() {
      await runtime.books.flush();
      return (await readFile(runtime.books.eventsPath, "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as LoggedEvent);
    },
    manifest: async () => JSON.parse(await readFile(runtime.manifestPath, "utf8")) as ManifestRow[],
  };
}

const TICK_MS = 1_000;

async function passTime<T>(promise: Promise<T>, clock: FakeClock): Promise<T> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  while (!settled) {
    await clock.advance(TICK_MS);
    await new Promise((resolve) => setTimeout(resolve, 1)); // files and databases need real time, and must not look like hours
  }
  return promise;
}

export function worker(options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: "worker", ...options });
}
