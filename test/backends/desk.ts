import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Agent, type AgentOptions } from "../../src/agents/agent.ts";
import type { BackendOutcome, BackendQuery } from "../../src/backends/backend.ts";
import { NativeBackend } from "../../src/backends/native/native.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { type Script, ScriptedEngine } from "../../src/engines/scripted.ts";
import type { Event } from "../../src/messages/event.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import type { SessionState } from "../../src/sessions/store.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { newFolder } from "../folder.ts";
import { StoppedClock } from "./stopped-clock.ts";

export const SESSION = "s1";

/** The native backend over a SQLite file in a folder of its own. */
export interface Desk {
  readonly folder: string;
  readonly engine: ScriptedEngine;
  readonly backend: NativeBackend;
  /** Calls of `onStarted` so far. */
  readonly started: () => number;
  query(change?: Partial<BackendQuery>): BackendQuery;
  /** Runs a query to its end. */
  run(change?: Partial<BackendQuery>): Promise<Ending>;
  /** Default: the main session. */
  state(sessionId?: string): Promise<SessionState | undefined>;
  /** Another process over the same file, after this one died: its leases have expired. */
  afterDeath(script: Script): Desk;
}

export interface DeskOptions {
  readonly tools?: readonly Tool[];
  readonly agent?: Partial<AgentOptions>;
  /** Answers instead of the script. */
  readonly engine?: Engine;
}

/** How a query ended, and what it said on the way. */
export interface Ending {
  readonly events: readonly Event[];
  readonly outcome?: BackendOutcome;
  readonly error?: unknown;
}

export function openDesk(script: Script, options: DeskOptions = {}): Desk {
  return makeDesk(script, options, newFolder(), new StoppedClock());
}

function makeDesk(script: Script, options: DeskOptions, folder: string, clock: StoppedClock): Desk {
  const engine = new ScriptedEngine(script);
  const store = new SqliteSessionStore(join(folder, "sessions.db"), { clock });
  const backend = new NativeBackend({ store, engine: () => options.engine ?? engine, builtins: () => [], clock });
  onTestFinished(() => backend.close());
  const agent = new Agent({ name: "worker", tools: options.tools ?? [], ...options.agent });
  let started = 0;
  const query = (change: Partial<BackendQuery> = {}): BackendQuery => ({
    agent,
    prompt: "go",
    promptFrom: "framework",
    sessionId: SESSION,
    resume: false,
    step: "work",
    workspace: folder,
    guards: [],
    services: {},
    steering: { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined },
    approve: async () => ({ approve: true }),
    signal: new AbortController().signal,
    deltas: false,
    onStarted: () => void started++,
    ...change,
  });
  return {
    folder,
    engine,
    backend,
    started: () => started,
    query,
    run: (change) => drain(backend.run(query(change))),
    state: (sessionId = SESSION) => store.read(sessionId),
    afterDeath: (next) => {
      clock.skipLeases();
      return makeDesk(next, options, folder, clock);
    },
  };
}

async function drain(run: AsyncGenerator<Event, BackendOutcome>): Promise<Ending> {
  const events: Event[] = [];
  try {
    for (;;) {
      const next = await run.next();
      if (next.done) return { events, outcome: next.value };
      events.push(next.value);
    }
  } catch (error) {
    return { events, error };
  }
}
