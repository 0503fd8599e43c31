import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Agent, type AgentOptions } from "../../../src/agents/agent.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../../../src/backends/backend.ts";
import { claudeBackend } from "../../../src/backends/claude/index.ts";
import type { Event } from "../../../src/messages/event.ts";
import { newFolder } from "../../folder.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { type MessagesServer, type ModelScript, serveMessages } from "./messages-server.ts";
import { quietQuery } from "./quiet-query.ts";
import { SDK } from "./sdk-file.ts";

/** The claude backend: the real SDK and its real CLI, before a model that is a local server. */
export interface ClaudeDesk {
  readonly folder: string;
  readonly server: MessagesServer;
  readonly backend: Backend;
  readonly agent: Agent;
  /** Calls of `onStarted` so far. */
  readonly started: () => number;
  query(change?: Partial<BackendQuery>): BackendQuery;
  /** Runs a query to its end. */
  run(change?: Partial<BackendQuery>): Promise<Ending>;
  write(name: string, text: string): Promise<string>;
  read(name: string): Promise<string>;
}

/** How a query ended, and what it said on the way, notices of the CLI left out. */
export interface Ending {
  readonly events: readonly Event[];
  readonly outcome?: BackendOutcome;
  readonly error?: unknown;
}

export const MODEL = "claude-sonnet-4-5";

export async function openDesk(script: ModelScript, options: Partial<AgentOptions> = {}, beside?: ClaudeDesk): Promise<ClaudeDesk> {
  const folder = beside?.folder ?? newFolder();
  const home = beside ? homes.get(beside) : newFolder();
  const server = await serveMessages(script);
  const backend = claudeBackend({ env: isolatedEnvironment(home as string, server.url), ...(SDK === undefined ? {} : { sdk: SDK }) });
  onTestFinished(async () => {
    await backend.close();
    await server[Symbol.asyncDispose]();
  });
  const agent = new Agent({ name: "worker", model: MODEL, instructions: "You are the worker.", ...options });
  let started = 0;
  const query = (change: Partial<BackendQuery> = {}) =>
    quietQuery({ agent, workspace: folder, onStarted: () => void started++, ...change });
  const desk: ClaudeDesk = {
    folder,
    server,
    backend,
    agent,
    started: () => started,
    query,
    run: (change) => drain(backend.run(query(change))),
    async write(name, text) {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    read: (name) => readFile(join(folder, name), "utf8"),
  };
  homes.set(desk, home as string);
  return desk;
}

const homes = new WeakMap<ClaudeDesk, string>();

export async function drain(run: AsyncGenerator<Event, BackendOutcome>, onEvent: (event: Event) => void = () => {}): Promise<Ending> {
  const events: Event[] = [];
  try {
    for (;;) {
      const next = await run.next();
      if (next.done) return { events, outcome: next.value };
      onEvent(next.value);
      if (next.value.kind !== "system") events.push(next.value);
    }
  } catch (error) {
    return { events, error };
  }
}

/** Events in short: kind, tool and text. */
export function inShort(events: readonly Event[]): readonly string[] {
  return events.map(({ kind, tool, text }) => `${kind}${tool === "" ? "" : ` ${tool}`}: ${text}`);
}
