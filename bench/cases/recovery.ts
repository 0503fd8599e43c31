import assert from "node:assert/strict";
import { appendFile, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, Runner, tool } from "flower-agents";
import type { Engine, EnginePart } from "flower-agents/engines";
import { SqliteSessionStore } from "flower-agents/sessions/sqlite";
import { Arithmetic } from "../arithmetic.ts";
import type { Case } from "../case.ts";
import { EventLog, readEvents, someEvent } from "../internals.ts";
import { repeat } from "../measure.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";

const ITERATIONS = 250;
const EVENTS = 1_000;
/** So that what is left behind counts as left behind at once. */
const LONG_AGO_MS = 3_600_000;

/**
 * A process died in its 251st model call: 1,001 entries in the open turn's journal, and 1,000 events and half a line in the log.
 * Measured is what it takes another one to go on: to mend, open and read the log, to load the turn, and to bring it to its answer.
 */
export const measured: Case = {
  only: ["flower"],
  metrics: [{ key: "ms", title: "recovery of a turn with 1,000 entries, and of its log of 1,000 events", unit: "ms", goal: 20 }],
  run: () =>
    inTemporaryFolder(async (folder) => {
      await leaveBehind(folder);
      let n = 0;
      return { ms: await repeat(() => recoverCopy(folder, String(n++))) };
    }),
};

async function leaveBehind(folder: string): Promise<void> {
  const log = EventLog.open(join(folder, "events.jsonl"), { run: "run" });
  for (let n = 1; n <= EVENTS; n++) log.append(someEvent(n));
  await log.close();
  await appendFile(join(folder, "events.jsonl"), '{"run":"run","seq":1001,"at"');

  const clock = { now: () => Date.now() - LONG_AGO_MS, after: () => () => {} };
  const store = new SqliteSessionStore(join(folder, "sessions.db"), { clock });
  await new Promise<void>((dying) => void run(store, new DyingEngine(dying)).run("session", "Add them all up."));
  for (const file of ["sessions.db-wal", "sessions.db-shm"]) await copyFile(join(folder, file), join(folder, `${file}.left`));
}

function run(sessionStore: SqliteSessionStore, engine: Engine): Runner {
  const { name, description, schema, execute } = new Arithmetic();
  const startingAgent = new Agent({ name: "bot", tools: [tool({ name, description, parameters: schema, execute })] });
  return new Runner({ startingAgent, sessionStore, engine, maxToolIterations: 2 * ITERATIONS });
}

async function recoverCopy(folder: string, name: string): Promise<number> {
  const database = join(folder, `${name}.db`);
  const logFile = join(folder, `${name}.jsonl`);
  await copyFile(join(folder, "sessions.db"), database);
  await copyFile(join(folder, "sessions.db-wal.left"), `${database}-wal`);
  await copyFile(join(folder, "events.jsonl"), logFile);

  let seq = 0;
  const start = performance.now();
  const log = EventLog.open(logFile, { run: "run" });
  for await (const event of readEvents(logFile)) seq = event.seq;
  const runner = run(new SqliteSessionStore(database), new AnsweringEngine());
  const { content } = await runner.recover("session");
  const ms = performance.now() - start;

  assert.equal(seq, EVENTS);
  assert.equal(content, "All of it makes 250 km.");
  assert.equal((await runner.session("session"))?.history.length, 2 * ITERATIONS + 2, "nothing is lost");
  await runner.close();
  await log.close();
  return ms;
}

const USAGE = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

abstract class FakeEngine implements Engine {
  readonly provider = "fake";
  readonly model = "fake-1";
  abstract stream(): AsyncIterable<EnginePart>;
  withModel(): Engine {
    return this;
  }
}

/** Asks for the tool again and again, and then never answers. */
class DyingEngine extends FakeEngine {
  #calls = 0;
  readonly #dying: () => void;

  constructor(dying: () => void) {
    super();
    this.#dying = dying;
  }

  async *stream(): AsyncGenerator<EnginePart> {
    if (++this.#calls > ITERATIONS) {
      this.#dying();
      await new Promise(() => {});
    }
    yield { type: "call", name: "add", args: { a: this.#calls, b: 1, unit: "km" } };
    yield { type: "finish", reason: "calls", usage: USAGE };
  }
}

class AnsweringEngine extends FakeEngine {
  async *stream(): AsyncGenerator<EnginePart> {
    yield { type: "block", of: "text", text: "All of it makes 250 km." };
    yield { type: "finish", reason: "stop", usage: USAGE };
  }
}
