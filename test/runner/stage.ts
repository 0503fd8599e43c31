import { onTestFinished } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { type Script, ScriptedEngine } from "../../src/engines/scripted.ts";
import type { Event, EventKind, EventOf } from "../../src/messages/event.ts";
import type { Run } from "../../src/runner/run.ts";
import { Runner } from "../../src/runner/runner.ts";
import type { RunnerOptions } from "../../src/runner/runner-options.ts";
import type { SessionStore } from "../../src/sessions/store.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import type { SessionStoreFixture } from "../../src/testing/session-store.ts";
import { type Tool, tool } from "../../src/tools/tool.ts";
import { memoryFixture, sqliteFixture } from "../sessions/fixtures.ts";

/** The stores that everything about turns must hold over. */
export const STORES = [
  ["memory", memoryFixture],
  ["sqlite", sqliteFixture],
] as const;

export interface Setting extends Partial<RunnerOptions> {
  readonly fixture?: SessionStoreFixture;
  /** Tools of the one agent, when no startingAgent is given. */
  readonly tools?: readonly Tool[];
}

export interface Stage {
  readonly runner: Runner;
  readonly engine: ScriptedEngine;
  readonly store: SessionStore;
}

/** A Runner over a scripted model; closed after the test, with its store. */
export function stage(script: Script, setting: Setting = {}): Stage {
  const { fixture = memoryFixture(), tools = [], ...options } = setting;
  const engine = new ScriptedEngine(script);
  const startingAgent = new Agent({ name: "Helper", tools });
  const runner = new Runner({ startingAgent, engine, sessionStore: fixture.store, ...options });
  onTestFinished(async () => {
    await runner.close();
    await fixture.cleanup();
  });
  return { runner, engine, store: fixture.store };
}

/** A tool without arguments. */
export function plainTool(name: string, execute: Tool["execute"] = () => `${name} done`, options: Partial<Tool> = {}): Tool {
  return tool({ name, description: `Does ${name}.`, parameters: { type: "object" }, ...options, execute } as Parameters<typeof tool>[0]);
}

/** A model reply that asks for these tools, without arguments. */
export function calling(...names: readonly string[]) {
  return { calls: names.map((name) => ({ name })) };
}

/** Every event of a run; the turn's failure, if it fails, is not thrown. */
export async function eventsOf(run: Run<unknown>): Promise<readonly Event[]> {
  const events: Event[] = [];
  try {
    for await (const event of run) events.push(event);
  } catch {}
  return events;
}

export function ofKind<K extends EventKind>(events: readonly Event[], kind: K): readonly EventOf<K>[] {
  return events.filter((event): event is EventOf<K> => event.kind === kind);
}

/** The value a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("It did not reject.");
    },
    (error: unknown) => error,
  );
}

/** A promise and its ends. */
export function deferred<T = void>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A clock that stands still; moving it needs no waiting. */
export function stoppedClock(): FakeClock {
  return new FakeClock();
}

/** Waits until something has come about. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`It never came about: ${isSo}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Lets everything happen that can happen without time passing. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
