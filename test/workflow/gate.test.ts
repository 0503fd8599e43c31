import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { abortedBecause, failedAt, resultsOf } from "../../src/workflow/ctx.ts";
import { type GateAnswer, Step, StepAbort, type StepOptions } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage, type Stage } from "./stage.ts";

/** A workflow of one gated step, and what its gate was asked. */
function gated(answers: readonly GateAnswer[], options: Partial<StepOptions> = {}) {
  const asked: string[] = [];
  const gate: StepOptions["gate"] = async (result) => {
    asked.push(result.text);
    return answers[asked.length - 1] ?? true;
  };
  const step = new Step("work", { agent: worker(), prompt: "build it", gate, ...options });
  return { asked, workflow: new Workflow([step]) };
}

const says = (...texts: ScriptedStep[]): Stage => openStage(texts);
const labels = async (stage: Stage) => (await stage.manifest()).map((row) => row.step);

test("a gate that passes lets the step pass; it was asked once", async () => {
  const stage = says("one");
  const { workflow, asked } = gated([true]);
  const ctx = await stage.run(workflow);
  expect(asked).toEqual(["one"]);
  expect(ctx["work"]).toBe("one");
  expect(failedAt(ctx)).toBeUndefined();
});

test("a rejected step with onReject goes on in the same session with its words, under the label #round2", async () => {
  const stage = says("one", "two", "three");
  const { workflow, asked } = gated([false, false], { retries: 2, onReject: (result) => `not enough: ${result.text}` });
  const ctx = await stage.run(workflow);
  expect(asked).toEqual(["one", "two", "three"]);
  expect([1, 2].map((call) => stage.prompt("worker", call))).toEqual(["not enough: one", "not enough: two"]);
  expect(stage.engine.requests[2]?.messages).toHaveLength(5);
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(1);
  expect(await labels(stage)).toEqual(["work", "work#round2", "work#round3"]);
});

test("a rejected step without onReject starts again from nothing, under the label #retry1", async () => {
  const stage = says("one", "two");
  const { workflow } = gated([false], { retries: 1 });
  const ctx = await stage.run(workflow);
  expect(stage.prompt("worker", 1)).toBe("build it");
  expect(stage.engine.requests[1]?.messages).toHaveLength(1);
  expect(new Set(resultsOf(ctx).map((result) => result.sessionId)).size).toBe(2);
  expect(await labels(stage)).toEqual(["work", "work#retry1"]);
});

test("when no round is left a rejected step has failed", async () => {
  const stage = says("one", "two");
  const { workflow, asked } = gated([false, false, false], { retries: 1, onReject: () => "again" });
  const ctx = await stage.run(workflow);
  expect(asked).toHaveLength(2);
  expect(failedAt(ctx)).toBe("work");
  expect(ctx["work"]).toBeUndefined();
});

test("a round that was granted is made beyond the last one", async () => {
  const stage = says("one", "two", "three");
  const { workflow, asked } = gated(["granted", "granted", true], { onReject: () => "again" });
  const ctx = await stage.run(workflow);
  expect(asked).toHaveLength(3);
  expect(failedAt(ctx)).toBeUndefined();
});

test("a gate is not asked about a step that failed", async () => {
  const stage = says(new FlowerError("auth", "bad key"));
  const { workflow, asked } = gated([true]);
  const ctx = await stage.run(workflow);
  expect(asked).toEqual([]);
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", "bad key"]);
});

test.each([["stop"], ["skip"], ["continue"]] as const)(
  "a StepAbort stops at once, with its reason, whatever onFail says (%s)",
  async (onFail) => {
    const stage = says("one");
    const seen: [string, boolean][] = [];
    const step = new Step("work", {
      agent: worker(),
      prompt: "go",
      retries: 3,
      onFail,
      gate: () => {
        throw new StepAbort("another round is no use");
      },
    });
    const after = new Step("after", { agent: worker(), prompt: "never" });
    const ctx = await stage.run(new Workflow([step, after]), {
      onStep: (one, result) => void seen.push([one.name, result.ok]),
    });
    expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", "another round is no use"]);
    expect(stage.engine.requests).toHaveLength(1);
    expect(seen).toEqual([["work", true]]);
    expect(stage.tasks("run-end")[0]?.payload).toMatchObject({
      outcome: "failed",
      exitCode: 1,
      failedAt: "work",
      reason: "another round is no use",
    });
  },
);

test("a StepAbort over the budget ends the run as stopped by the budget", async () => {
  const stage = says("one");
  const gate = () => {
    throw new StepAbort("no money for a judge", { code: "budget" });
  };
  await stage.run(new Workflow([new Step("work", { agent: worker(), prompt: "go", gate })]));
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "budget", exitCode: 4, failedAt: "work" });
});

test("a gate that breaks fails the run, and is never a pass", async () => {
  const stage = says("one");
  const gate = () => {
    throw new TypeError("x is not a function");
  };
  const ctx = await stage.run(new Workflow([new Step("work", { agent: worker(), prompt: "go", gate })]));
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["work", "x is not a function"]);
});
