import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { type ScriptedAnswer, ScriptedEngine } from "../../src/engines/scripted.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { openBench, worker } from "./bench.ts";

const busy = () => new FlowerError("overloaded", "Too busy.", { retryable: true });

/** A step of an agent with so many iterations, whose model says this, then fails for ever. */
async function run(maxIterations: number, script: readonly ScriptedAnswer[]) {
  let call = 0;
  const bench = openBench(() => script[call++] ?? (call > 40 ? "enough" : busy()));
  const ran: number[] = [];
  const agent = worker({ tools: [stepTool(ran)], limits: { maxIterations } });
  const result = await bench.finish(bench.runtime.run(agent, "go", { onEvent: bench.note }));
  return { result, bench, ran };
}

test("an agent's iterations are those of the whole step, however often it fails in between", async () => {
  const night = Array.from({ length: 30 }, (_, index) => [steps(index), busy()]).flat();
  const { result, bench, ran } = await run(3, night);
  expect(ran).toEqual([0, 1, 2]);
  expect(result).toMatchObject({ ok: false, errorKind: "overloaded" });
  expect(bench.engine.requests.length).toBeLessThan(20); // a model that calls on without tools is no progress
});

test("failures in between use none up: the last answer without tools comes all the same", async () => {
  const { result, ran } = await run(3, [steps(1), busy(), steps(2), busy(), busy(), steps(3), "so far three"]);
  expect(ran).toEqual([1, 2, 3]);
  expect(result).toMatchObject({ ok: false, errorKind: "iteration-limit", text: "so far three", attempts: 4 });
});

test("a last answer that fails is tried again as often as anything else, not for ever", async () => {
  const { result, bench } = await run(1, [steps(1)]);
  expect(result).toMatchObject({ ok: false, errorKind: "overloaded" });
  expect(bench.engine.requests.length).toBeLessThanOrEqual(8);
});

test("a subagent's iterations are those of its whole task, too", async () => {
  const ran: number[] = [];
  const night = Array.from({ length: 30 }, (_, index) => [steps(index), busy()]).flat();
  const engine = new ScriptedEngine(night);
  const subagents = [worker({ name: "hand", engine, tools: [stepTool(ran)], limits: { maxIterations: 3 } })];
  const start = { name: "Agent", args: { description: "d", prompt: "p", subagent_type: "hand" } };
  const bench = openBench([{ calls: [start] }, "done"]);
  expect(await bench.finish(bench.runtime.run(worker({ subagents }), "go"))).toMatchObject({ ok: true, text: "done" });
  expect(ran).toEqual([0, 1, 2]);
  expect(engine.requests.length).toBeLessThan(20);
});

test("words of a person begin the count anew", async () => {
  let call = 0;
  const bench = openBench(() => {
    if (++call === 2) bench.runtime.interrupt("go on");
    return call <= 4 ? steps(call) : "done";
  });
  const agent = worker({ tools: [stepTool([])], limits: { maxIterations: 3 } });
  expect(await bench.finish(bench.runtime.run(agent, "go"))).toMatchObject({ ok: true, text: "done" });
});
