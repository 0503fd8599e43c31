import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { abortedBecause, failedAt } from "../../src/workflow/ctx.ts";
import { parallel } from "../../src/workflow/parallel.ts";
import { Step, StepAbort, type StepOptions } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const step = (name: string, change: Partial<StepOptions> = {}) => new Step(name, { agent: worker(), prompt: `do ${name}`, ...change });

/** Two starts of the same two steps; the first start ends at the second step. */
async function secondStart(reduce: StepOptions["reduce"], between: (manifest: string) => Promise<unknown> = async () => {}) {
  const workflow = new Workflow([step("a", { reduce }), step("b")]);
  const stage = openStage(["3 files", new Error("no")], { resilience: { maxAttempts: 1 } });
  await stage.run(workflow);
  await stage.runtime.close();
  await between(stage.runtime.manifestPath);
  const next = stage.again(["done"]);
  const ctx = await next.run(workflow);
  expect(next.of("step")[0]?.payload.skipped).toBe(true);
  return ctx["a"];
}

test.each<[string, unknown]>([
  ["an object", { files: 3, names: ["x"] }],
  ["null", null],
  ["false", false],
  ["an empty text", ""],
])("a finished step that is skipped at a later start leaves its reduced value as it was: %s", async (_what, value) => {
  let times = 0;
  const again = await secondStart(() => {
    times++;
    return value;
  });
  expect(again).toEqual(value);
  expect(times).toBe(1);
});

test.each<[string, () => unknown]>([
  ["a Map", () => new Map([["files", 3]])],
  ["a Date", () => new Date(0)],
  ["an object with an undefined part", () => ({ files: undefined })],
  ["undefined", () => undefined],
])("a value that JSON cannot hold is made again from the result: %s", async (_what, make) => {
  const results: string[] = [];
  const again = await secondStart(({ text }) => {
    results.push(text);
    return make();
  });
  expect(again).toEqual(make());
  expect(results).toEqual(["3 files", "3 files"]);
});

test("without a manifest to make it from, the step's text is there", async () => {
  expect(await secondStart(() => new Map(), rm)).toBe("3 files");
});

const boom = () => {
  throw new TypeError("not today");
};
test.each<[string, Partial<StepOptions>]>([
  ["when", { when: boom }],
  ["prompt", { prompt: boom }],
  ["agent", { agent: boom }],
  ["gate", { gate: boom }],
  ["reduce", { reduce: boom }],
  ["reduce of a failure that is continued from", { reduce: boom, onFail: "continue", gate: () => false }],
  ["onReject", { gate: () => false, retries: 1, onReject: boom }],
  ["onRound", { onRound: boom }],
])("a foreign error in %s is a failed run with the step and the reason, in line and in parallel", async (_what, change) => {
  for (const inParallel of [false, true]) {
    const stage = openStage(["zero", "one"]);
    const { onFail, ...rest } = change;
    const broken = inParallel ? parallel([step("a", rest)], { onFail }) : step("a", change);
    const ctx = await stage.run(new Workflow([step("z"), broken, step("b")]));
    expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["a", "not today"]);
    expect(stage.events.at(-1)?.payload).toMatchObject({
      type: "run-end",
      outcome: "failed",
      exitCode: 1,
      failedAt: "a",
      reason: "not today",
    });
    expect((await stage.lineage())["workflow"]?.steps["a"]?.finished ?? false).toBe(false);
  }
});

test("a StepAbort in reduce stops the workflow with its reason", async () => {
  const stage = openStage(["one"]);
  const reduce = () => {
    throw new StepAbort("the list is empty");
  };
  const ctx = await stage.run(new Workflow([step("a", { reduce })]));
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["a", "the list is empty"]);
});
