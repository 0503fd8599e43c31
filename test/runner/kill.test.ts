import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkHistory, INTERRUPTED_RESULT } from "../../src/messages/history.ts";
import { resultText } from "../../src/messages/message.ts";
import { Runner } from "../../src/runner/runner.ts";
import type { FaultPoint } from "../../src/sessions/fault.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import type { JournalEntry } from "../../src/sessions/store.ts";
import { newFolder } from "../folder.ts";
import { tempFolder } from "../sessions/fixtures.ts";
import { SuspendedClock } from "../sessions/suspended-clock.ts";
import { runChild } from "./child.ts";
import { notingAgent, notingModel, TOOLS, whatRan } from "./noting-agent.ts";
import { eventsOf } from "./stage.ts";
import { transcript } from "./transcript.ts";

const PARALLEL = 3;

describe("a process killed in the middle of a turn with three parallel tools", () => {
  it("loses nothing that was committed, repeats nothing, and can be recovered, wherever it is killed", { timeout: 120_000 }, async () => {
    const points = await pointsOfTurns();
    const secondTurn = points.lastIndexOf("open:before");
    expect(points.length - secondTurn).toBe(32); // open 2, begin 3, eight entries of 3, commit 3
    const queue = points.map((_, index) => index).slice(secondTurn);
    const worker = async () => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) await killAndLook(points, index);
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  });
});

/** The fault points that the two turns pass, in order. */
async function pointsOfTurns(): Promise<readonly FaultPoint[]> {
  const folder = newFolder();
  const points: FaultPoint[] = [];
  const sessionStore = new SqliteSessionStore(join(folder, "chat.db"), { fault: (point) => points.push(point) });
  await using runner = new Runner({ startingAgent: notingAgent({ folder }), engine: notingModel(), sessionStore });
  await runner.run("s", "first");
  await runner.run("s", "second");
  return points;
}

async function killAndLook(points: readonly FaultPoint[], index: number): Promise<void> {
  const where = `killed at ${index} (${points[index]})`;
  const killed = tempFolder();
  const nth = points.slice(0, index + 1).filter((point) => point === points[index]).length;
  const { signal } = await runChild("two-turns", killed.folder, points[index]!, String(nth));
  expect(signal, where).toBe("SIGKILL");
  const copy = tempFolder();
  cpSync(killed.folder, copy.folder, { recursive: true });

  const isCommitted = points.slice(0, index + 1).filter((point) => point === "commit:after").length === 2;
  const passed = (point: FaultPoint, to: number) => points.slice(points.lastIndexOf("open:before"), to).filter((p) => p === point).length;
  const entries = (step: "inside" | "after", to: number) => passed(`begin:${step}`, to) + passed(`append:${step}`, to);
  const written = isCommitted ? undefined : { least: entries("after", index + 1), most: entries("inside", index) };
  await sayHello(killed.folder, { written, where });
  await recover(copy.folder, { written, where });
  killed.remove();
  copy.remove();
}

interface Killed {
  /** How many entries of the second turn's journal were written; undefined when the turn was committed. */
  readonly written: { readonly least: number; readonly most: number } | undefined;
  readonly where: string;
}

/** A Runner as another process has it, when the dead one's lease has expired. */
function inNewProcess(folder: string) {
  const clock = new SuspendedClock(Date.now());
  clock.skip(3_600_000);
  const store = new SqliteSessionStore(join(folder, "chat.db"), { clock });
  const runner = new Runner({ startingAgent: notingAgent({ folder }), engine: notingModel(), sessionStore: store });
  return { runner, store };
}

function linesOf(turn: string): readonly string[] {
  return [
    `user: ${turn}`,
    `Noting: ${TOOLS.map((name) => `${name}({"turn":"${turn}"})`).join(" ")}`,
    `results: ${TOOLS.map((name) => `${name}=${name} done`).join(" ")}`,
    `Noting: Done with ${turn}.`,
  ];
}

async function sayHello(folder: string, { written, where }: Killed): Promise<void> {
  const { runner, store } = inNewProcess(folder);
  const ranBefore = whatRan(folder);
  const lease = await store.open("s");
  const { open } = lease.state;
  if (open) await lease.pause();
  await lease.release();
  const entries = open?.entries;
  expect(entries?.length ?? 0, where).toBeGreaterThanOrEqual(written?.least ?? 0);
  expect(entries?.length ?? 0, where).toBeLessThanOrEqual(written?.most ?? 0);

  const run = runner.stream("s", "hello");
  expect((await run.response).content, where).toBe("Hello!");
  const { history } = (await runner.session("s"))!;
  expect(checkHistory(history), where).toEqual([]);
  const turns = written ? ["first"] : ["first", "second"];
  expect(transcript(history), where).toEqual([...turns.flatMap(linesOf), "user: hello", "Noting: Hello!"]);

  const [event] = await eventsOf(run);
  const data = event?.kind === "task" && event.payload.type === "notice" ? event.payload.data : undefined;
  expect(data, where).toEqual(entries && expect.objectContaining({ inFlight: inFlight(entries) }));
  expect(whatRan(folder), where).toEqual(ranBefore);
  for (const turn of turns) expect(ranBefore.filter((line) => line.endsWith(turn)).length, where).toBe(TOOLS.length);
  await runner.close();
}

/** Calls that must not be repeated and whose result was not written. */
function inFlight(entries: readonly JournalEntry[]) {
  const ended = entries.flatMap((entry) => (entry.type === "call-result" ? [entry.result.callId] : []));
  return entries.flatMap((entry) =>
    entry.type === "call-started" && entry.name !== "look" && !ended.includes(entry.callId)
      ? [{ callId: entry.callId, name: entry.name }]
      : [],
  );
}

async function recover(folder: string, { written, where }: Killed): Promise<void> {
  const { runner, store } = inNewProcess(folder);
  const ranBefore = whatRan(folder);
  const turn = (await store.turns("s"))[1];
  if (!written || !turn) {
    await expect(runner.recover("s"), where).rejects.toMatchObject({ code: "not-found" });
    return runner.close();
  }
  const unknown = inFlight(await store.journal("s", turn.turnId)).map((call) => call.name);
  expect(await runner.recover("s"), where).toMatchObject({ content: "Done with second.", finishReason: "done", turnId: turn.turnId });
  const { history } = (await runner.session("s"))!;
  expect(checkHistory(history), where).toEqual([]);
  const results = history[6]!.parts.flatMap((part) => (part.type === "result" ? [[part.name, resultText(part.content)]] : []));
  expect(results, where).toEqual(TOOLS.map((name) => [name, unknown.includes(name) ? INTERRUPTED_RESULT : `${name} done`]));
  for (const name of TOOLS) {
    const times = whatRan(folder).filter((line) => line === `${name}:second`).length;
    if (unknown.includes(name)) expect(times, where).toBe(ranBefore.filter((line) => line === `${name}:second`).length);
    else if (name === "look") expect([1, 2], where).toContain(times);
    else expect(times, where).toBe(1);
  }
  await runner.close();
}
