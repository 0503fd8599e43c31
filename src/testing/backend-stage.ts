import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, type AgentOptions } from "../agents/agent.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../backends/backend.ts";
import { type ErrorCode, isFlowerError } from "../core/errors.ts";
import type { Event } from "../messages/event.ts";
import type { Steering } from "../runner/between.ts";
import { transcriptOf } from "./backend-differences.ts";
import type { CaseModel, ModelScript, ModelView } from "./backend-model.ts";

/** A backend to be tested, with no session in it. */
export interface BackendFixture {
  readonly backend: Backend;
  /** An empty folder that agents work in. */
  readonly workspace: string;
  /** The model that the agents name; none by default. */
  readonly model?: string;
  /** Another backend over the same sessions, as another process would have it; the first stays open. */
  reopen(): Promise<Backend>;
  /** Closes and removes everything. */
  cleanup(): Promise<void>;
}

/** Makes a backend whose model answers by `model.answer`. */
export type MakeBackend = (model: CaseModel) => BackendFixture | Promise<BackendFixture>;

export interface BackendCase {
  /** A property: what holds. */
  readonly name: string;
  /** The number in the documentation of `Backend`. */
  readonly guarantee: number;
  run(stage: BackendStage): Promise<void>;
}

/** A query that has ended: what it said on the way, and its outcome or what it threw. */
export interface Played {
  readonly query: BackendQuery;
  readonly events: readonly Event[];
  readonly outcome?: BackendOutcome;
  readonly error?: unknown;
  /** Calls of `onStarted`. */
  readonly started: number;
}

export interface Play extends Partial<BackendQuery> {
  /** Default: the fixture's. */
  readonly backend?: Backend;
  /** Told of each event as it comes. */
  readonly onEvent?: (event: Event) => void;
}

export const QUIET: Steering = { interrupted: () => false, overBudget: () => undefined, contextFull: () => false, notice: () => undefined };

/** Where a case plays: a backend, its model, a workspace. What holds for every query is checked after each. */
export class BackendStage {
  readonly fixture: BackendFixture;
  readonly model: CaseModel;

  constructor(fixture: BackendFixture, model: CaseModel) {
    this.fixture = fixture;
    this.model = model;
  }

  /** The model calls so far, oldest first. */
  get asked(): readonly ModelView[] {
    return this.model.asked;
  }

  says(script: ModelScript): void {
    this.model.says(script);
  }

  agent(options: Partial<AgentOptions> = {}): Agent {
    const { model } = this.fixture;
    return new Agent({ name: "worker", instructions: "You are the worker.", ...(model === undefined ? {} : { model }), ...options });
  }

  /** Runs a query to its end. */
  async play({ backend = this.fixture.backend, onEvent = () => {}, ...change }: Play = {}): Promise<Played> {
    let started = 0;
    const query = this.#query({ ...change, onStarted: () => void started++ });
    const events: Event[] = [];
    const ended = await drain(backend.run(query), (event) => {
      events.push(event);
      onEvent(event);
    });
    const played = { query, events, started, ...ended };
    checkAlways(played);
    return played;
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.fixture.workspace, name), text);
  }

  /** What a file of the workspace holds; undefined when there is none. */
  read(name: string): Promise<string | undefined> {
    return readFile(join(this.fixture.workspace, name), "utf8").catch(() => undefined);
  }

  #query(change: Partial<BackendQuery>): BackendQuery {
    return {
      agent: this.agent(),
      prompt: "go",
      promptFrom: "framework",
      sessionId: "s1",
      resume: false,
      step: "work",
      workspace: this.fixture.workspace,
      guards: [],
      services: {},
      steering: QUIET,
      approve: async () => ({ approve: true }),
      signal: new AbortController().signal,
      deltas: false,
      onStarted: () => {},
      ...change,
    };
  }
}

async function drain(run: AsyncGenerator<Event, BackendOutcome>, onEvent: (event: Event) => void) {
  try {
    for (;;) {
      const next = await run.next();
      if (next.done) return { outcome: next.value };
      onEvent(next.value);
    }
  } catch (error) {
    return { error };
  }
}

/** Guarantees 1 and 2, and of 5 that a prompt starts once. */
function checkAlways({ query, events, error, started }: Played): void {
  for (const event of events) {
    assert.deepEqual(JSON.parse(JSON.stringify(event)), event, `an event of kind ${event.kind} is not plain data`);
    if (event.kind === "unknown") continue;
    const { agent, iteration, step } = event.payload as { agent?: unknown; iteration?: unknown; step?: unknown };
    assert.equal(typeof agent, "string", `an event of kind ${event.kind} does not say which agent it is of`);
    assert.equal(typeof iteration, "number", `an event of kind ${event.kind} does not say its iteration`);
    assert.equal(step, query.step, `an event of kind ${event.kind} has another step than its query`);
  }
  const results = events.filter(({ kind }) => kind === "result");
  assert.equal(results.length, 1, "a query has one result");
  const last = events.at(-1);
  assert.ok(last?.kind === "result", "the result is the last event");
  assert.equal(last.payload.isError, error !== undefined, "the result says whether the query failed");
  assert.ok(started <= 1, "onStarted is called once");
}

/** Asserts what a query said, one line an event, and its outcome. */
export function expectPlayed(played: Played, lines: readonly string[], outcome: BackendOutcome): void {
  if (played.error !== undefined) throw played.error;
  assert.deepEqual(transcriptOf(played), lines);
  assert.deepEqual(played.outcome, outcome);
}

/** Asserts what a query said before it failed, and its failure. */
export function expectFailed(
  played: Played,
  lines: readonly string[],
  failure: { readonly code: ErrorCode; readonly retryable: boolean },
): void {
  assert.deepEqual(transcriptOf(played), lines);
  assert.ok(isFlowerError(played.error, failure.code), `expected ${failure.code}, got ${String(played.error)}`);
  assert.equal(played.error.retryable, failure.retryable);
}

/** Asserts that a text holds another. */
export function expectHolds(text: string | undefined, part: string): void {
  assert.ok(text?.includes(part), `${JSON.stringify(part)} is not in ${JSON.stringify(text)}`);
}
