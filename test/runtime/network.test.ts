import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { systemClock } from "../../src/core/clock.ts";
import { FlowerError } from "../../src/core/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { newFolder } from "../folder.ts";
import { type Bench, openBench, worker } from "./bench.ts";
import { Line } from "./line.ts";

const SOON: RuntimeOptions = { clock: systemClock, resilience: { probeEveryMs: 20, delayMs: 1 } };
const NEVER_BY_ITSELF: RuntimeOptions = { clock: systemClock, resilience: { probeEveryMs: 3_600_000 } };

function run(bench: Bench, agent = worker({ tools: [stepTool([])] })) {
  return bench.runtime.run(agent, "build it", { onEvent: bench.note, stepName: "work" });
}

const told = (bench: Bench) => bench.of("retry").map(({ payload }) => [payload.step, payload.attempt, payload.reason]);
const isOut = (bench: Bench) => expect.poll(() => told(bench).length, { timeout: 20_000 }).toBeGreaterThan(0);

/** Works one step, loses the network in the middle of it, and is done after the next call. */
async function lost(options: RuntimeOptions) {
  const line = await Line.open();
  const cut = async (): Promise<ScriptedReply> => {
    await line.down();
    return steps(1);
  };
  const engine = line.engine([cut, "done"]);
  return { line, engine, bench: openBench([], { engine, ...options }) };
}

test("a run without a network waits for it, says so once and once that it is back, and uses no attempt", async () => {
  const { line, engine, bench } = await lost(SOON);
  const running = run(bench);
  await isOut(bench);
  await line.up();
  const result = await running;
  expect(result).toMatchObject({ ok: true, text: "done", attempts: 1, errors: [] });
  expect(told(bench)).toEqual([
    ["work", 1, "offline"],
    ["work", 1, "online"],
  ]);
  expect(bench.of("retry")[0]?.text).toContain(`127.0.0.1:${line.port} cannot be reached`);
  expect(engine.scripted.requests).toHaveLength(2);
  expect(engine.scripted.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "user"]);
});

test("subagents and their step wait together: one word about it, and all go on", async () => {
  const line = await Line.open();
  let begun = 0;
  const reader = new Agent({
    name: "reader",
    engine: line.engine(async (request) => {
      if (request.messages.length > 1) return "read";
      if (++begun === 3) await line.down();
      while (begun < 3) await new Promise((resolve) => setImmediate(resolve));
      return { calls: [{ name: "nothing" }] };
    }),
  });
  const start = { name: "Agent", args: { description: "read", prompt: "read", subagent_type: "reader" } };
  const bench = openBench([{ calls: [start, start, start] }, "done"], SOON);
  const running = run(bench, worker({ subagents: [reader] }));
  await isOut(bench);
  await expect.poll(() => line.lost, { timeout: 20_000 }).toBe(3);
  for (let i = 0; i < 5; i++) await expect(line.reached()).rejects.toThrow(); // by now each of them has looked for itself, too
  await line.up();
  expect(await running).toMatchObject({ ok: true, text: "done", attempts: 1 });
  expect(told(bench).map(([, , reason]) => reason)).toEqual(["offline", "online"]);
  const results = bench.engine.requests[1]!.messages.at(-1)!.parts.map((part) => JSON.stringify(part));
  expect(results.filter((text) => text.includes('"read"'))).toHaveLength(3);
});

test("an interrupt has the network looked at at once; the words are heard when the model is back", async () => {
  const { line, engine, bench } = await lost(NEVER_BY_ITSELF);
  const running = run(bench);
  await isOut(bench);
  void bench.runtime.interrupt("in French");
  await line.up();
  void bench.runtime.interrupt("and short");
  expect(await running).toMatchObject({ ok: true, attempts: 1 });
  const heard = engine.scripted.requests[1]!.messages.map(textOf).join("\n");
  expect(heard).toContain("in French\nand short");
});

test("an abort ends the waiting at once", async () => {
  const { bench } = await lost(NEVER_BY_ITSELF);
  const running = run(bench);
  await isOut(bench);
  bench.runtime.abort(new FlowerError("aborted", "enough"));
  expect(await running).toMatchObject({ ok: false, errorKind: "aborted", error: "enough", attempts: 1 });
});

test("a provider that can be reached and drops every call costs attempts like any failure", async () => {
  const line = await Line.open();
  const scripted = new ScriptedEngine(() => new FlowerError("offline", "The connection was reset."));
  const dropping: Engine = { ...line.engine([]), stream: (request, options) => scripted.stream(request, options) };
  const bench = openBench([], { engine: dropping, clock: systemClock, resilience: { maxAttempts: 3, delayMs: 1 } });
  expect(await run(bench)).toMatchObject({ ok: false, errorKind: "offline", attempts: 3 });
  expect(told(bench).map(([, attempt]) => attempt)).toEqual([2, 3]);
});

test("with a limit of 0 the network is not waited for", async () => {
  const { bench } = await lost({ clock: systemClock, resilience: { offlineLimitMs: 0, maxAttempts: 2, delayMs: 1 } });
  expect(await run(bench)).toMatchObject({ ok: false, errorKind: "offline", attempts: 2 });
});

test("after the limit the run is parked with its state whole, and the next start goes on in its session", async () => {
  const folder = newFolder();
  const workflow = () =>
    new Workflow([new Step("work", { agent: worker({ tools: [stepTool([])] }), prompt: "work" })], { request: "work" });
  const first = await lost({ clock: systemClock, resilience: { probeEveryMs: 10, offlineLimitMs: 50 } });
  const bench = openBench([], { engine: first.engine, clock: systemClock, resilience: { probeEveryMs: 10, offlineLimitMs: 50 } }, folder);
  await workflow().run(bench.runtime, { onEvent: bench.note });
  await bench.runtime.close();
  expect(bench.events.at(-1)?.payload).toMatchObject({ type: "run-end", outcome: "parked", exitCode: 3, failedAt: "work" });
  expect(bench.of("task").at(-1)?.payload).toMatchObject({ reason: expect.stringMatching(/out of reach.*start again/) });
  expect(await bench.manifest()).toMatchObject([{ step: "work", ok: false, errorKind: "parked", attempts: 1 }]);

  const again = openBench(["done"], { clock: systemClock }, folder);
  await workflow().run(again.runtime, { onEvent: again.note });
  expect(again.events.at(-1)?.payload).toMatchObject({ outcome: "achieved" });
  expect(again.engine.requests[0]!.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "user"]);
});

test("an hour passes before a run parks", async () => {
  const { engine } = await lost(SOON);
  const bench = openBench([], { engine });
  const running = run(bench);
  let isOver = false;
  const note = () => {
    isOver = true;
  };
  running.then(note, note);
  while (!isOver) {
    await bench.clock.advance(5_000);
    await new Promise((resolve) => setTimeout(resolve, 1)); // a look at the network takes real time
  }
  const result = await running;
  expect(result).toMatchObject({ ok: false, errorKind: "parked" });
  expect(result.durationMs).toBeGreaterThanOrEqual(3_600_000);
  expect(result.durationMs).toBeLessThan(3 * 3_600_000); // an hour, and what real work takes when seconds are hours
});

test("a person who speaks ends the wait for the next attempt", async () => {
  const bench = openBench([steps(1), new FlowerError("overloaded", "busy"), "heard"]);
  const running = run(bench);
  while (told(bench).length === 0) await bench.clock.advance(0);
  const before = bench.clock.now();
  void bench.runtime.interrupt("in French");
  expect(await running).toMatchObject({ ok: true, text: "heard", attempts: 2 });
  expect(bench.clock.now()).toBe(before);
  expect(bench.engine.requests[2]!.messages.map(textOf).join("\n")).toContain("in French");
});
