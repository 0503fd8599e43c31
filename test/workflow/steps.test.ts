import { expect, test } from "vitest";
import { isFlowerError } from "../../src/core/errors.ts";
import { resultsOf } from "../../src/workflow/ctx.ts";
import { Step, type StepOptions } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const step = (name: string, change: Partial<StepOptions> = {}) => new Step(name, { agent: worker(), prompt: `do ${name}`, ...change });

test("steps run in order, each with what the earlier ones left, and their results stand under their names", async () => {
  const stage = openStage(["one", "two"]);
  const ctx = await stage.run(new Workflow([step("a"), step("b", { prompt: async (so) => `after ${so["a"]}` })]));
  expect([ctx["a"], ctx["b"]]).toEqual(["one", "two"]);
  expect(stage.prompt("worker", 1)).toBe("after one");
  expect(resultsOf(ctx).map((result) => [result.step, result.text])).toEqual([
    ["a", "one"],
    ["b", "two"],
  ]);
});

test("ctx has the user's context, results by step name, and else only keys that begin with an underscore", async () => {
  const stage = openStage(["one"]);
  const ctx = await stage.run(new Workflow([step("a")], { context: { given: 7 } }));
  expect(
    Object.keys(ctx)
      .filter((key) => !key.startsWith("_"))
      .sort(),
  ).toEqual(["a", "given"]);
});

test("a step that is not wanted is skipped and said so; events of steps count from 1", async () => {
  const stage = openStage(["two"]);
  const ctx = await stage.run(new Workflow([step("a", { when: async () => false }), step("b", { when: (so) => !("a" in so) })]));
  expect(ctx["b"]).toBe("two");
  expect(stage.of("step").map((event) => [event.text, event.payload])).toEqual([
    ["a", { index: 1, total: 2, resumed: false, woke: false, skipped: true }],
    ["b", { index: 2, total: 2, resumed: false, woke: false }],
  ]);
});

test.each<[string, StepOptions["reduce"], unknown]>([
  ["none", undefined, "3 files"],
  ["a function", (result) => result.text.length, 7],
  ["an asynchronous one", async (result, ctx) => [result.text, Object.hasOwn(ctx, "a")], ["3 files", false]],
])("what goes into ctx with %s to reduce the result", async (_what, reduce, expected) => {
  const stage = openStage(["3 files"]);
  const ctx = await stage.run(new Workflow([step("a", { reduce })]));
  expect(ctx["a"]).toEqual(expected);
});

test("a step can go on in an earlier step's session", async () => {
  const stage = openStage(["one", "two"]);
  const ctx = await stage.run(new Workflow([step("a"), step("b", { resumeFrom: "a" })]));
  const [a, b] = resultsOf(ctx);
  expect(b?.sessionId).toBe(a?.sessionId);
  expect(stage.engine.requests[1]?.messages).toHaveLength(3);
});

test("or in a copy of it; a rejected round then goes on in that same copy", async () => {
  const stage = openStage(["one", "two", "three"]);
  let asked = 0;
  const fork = step("b", { resumeFrom: "a", fork: true, retries: 1, gate: () => asked++ > 0, onReject: () => "better" });
  const ctx = await stage.run(new Workflow([step("a"), fork]));
  const [a, b, again] = resultsOf(ctx);
  expect(b?.sessionId).not.toBe(a?.sessionId);
  expect(again?.sessionId).toBe(b?.sessionId);
  expect(stage.engine.requests[2]?.messages).toHaveLength(5);
});

test("a step that goes on from one that made no session is an error that names both and what there is", async () => {
  const stage = openStage(["one"]);
  const workflow = new Workflow([step("a"), step("b", { when: () => false }), step("c", { resumeFrom: "b" })]);
  const error = await stage.run(workflow).catch((thrown: unknown) => thrown);
  expect(isFlowerError(error, "bad-config")).toBe(true);
  expect(String(error)).toMatch(/"c".*"b".*Steps so far: a/);
  expect(stage.events.at(-1)?.payload).toMatchObject({ type: "run-end", outcome: "failed", exitCode: 1, failedAt: "c" });
});

test("an agent can be chosen by what the earlier steps left", async () => {
  const stage = openStage(["one", "two"]);
  const chosen = step("b", { agent: (ctx) => worker({ instructions: `You know: ${ctx["a"]}` }) });
  await stage.run(new Workflow([step("a"), chosen]));
  expect(stage.engine.requests[1]?.instructions).toBe("You know: one");
});

test("a Workflow object can be run twice, in two places, without leftovers of the first run", async () => {
  let asked = 0;
  const workflow = new Workflow([step("a", { retries: 1, gate: () => asked++ % 2 === 1, onReject: () => "again" })]);
  for (let round = 0; round < 2; round++) {
    const stage = openStage(["first", "second"]);
    const ctx = await stage.run(workflow);
    expect(ctx["a"]).toBe("second");
    expect(resultsOf(ctx)).toHaveLength(2);
    expect(stage.of("step").map((event) => event.payload.woke)).toEqual([false]);
  }
});

test("without continuity a second run in the same place begins afresh", async () => {
  const workflow = new Workflow([step("a")], { continuous: false });
  const stage = openStage(["first"]);
  await stage.run(workflow);
  await stage.runtime.close();
  const next = stage.again(["second"]);
  expect((await next.run(workflow))["a"]).toBe("second");
  expect(next.engine.requests[0]?.messages).toHaveLength(1);
});

test("a workflow's workbench and the Runtime's must be one: the error names both", async () => {
  const [here, there] = [openStage([]), openStage([])];
  const workflow = new Workflow([step("a")], { workbench: there.runtime.workbench });
  const error = await here.run(workflow).catch((thrown: unknown) => thrown);
  expect(isFlowerError(error, "bad-config")).toBe(true);
  expect(String(error)).toContain(there.runtime.workbench.root);
  expect(String(error)).toContain(here.runtime.workbench.root);
  expect(here.events).toEqual([]);
});
