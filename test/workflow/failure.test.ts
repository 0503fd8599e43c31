import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { textOf } from "../../src/messages/message.ts";
import { abortedBecause, failedAt, resultsOf } from "../../src/workflow/ctx.ts";
import { Step, type StepOptions } from "../../src/workflow/step.ts";
import { EXIT_CODES, Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

const BAD = new FlowerError("auth", "bad key");

/** Two steps, of which the first fails. */
function flow(onFail: StepOptions["onFail"], change: Partial<StepOptions> = {}) {
  const first = new Step("first", { agent: worker(), prompt: "one", onFail, ...change });
  return new Workflow([first, new Step("second", { agent: worker(), prompt: "two" })]);
}

test("a failed step stops the workflow: nothing after it runs, and ctx says where and why", async () => {
  const stage = openStage([BAD]);
  const ctx = await stage.run(flow(undefined));
  expect([failedAt(ctx), abortedBecause(ctx)]).toEqual(["first", "bad key"]);
  expect("first" in ctx).toBe(false);
  expect(stage.engine.requests).toHaveLength(1);
});

test("a failed step that may be skipped leaves nothing in ctx, and the workflow goes on", async () => {
  const stage = openStage([BAD, "done"]);
  const ctx = await stage.run(flow("skip"));
  expect(failedAt(ctx)).toBeUndefined();
  expect("first" in ctx).toBe(false);
  expect(ctx["second"]).toBe("done");
});

test("a rejected step that may be continued from leaves its raw text", async () => {
  const stage = openStage(["half of it", "done"]);
  const ctx = await stage.run(flow("continue", { gate: () => false }));
  expect([ctx["first"], ctx["second"], failedAt(ctx)]).toEqual(["half of it", "done", undefined]);
});

const endings: readonly (readonly [string, readonly ScriptedStep[], StepOptions["onFail"], object])[] = [
  ["success", ["one", "two"], undefined, { outcome: "achieved", exitCode: 0 }],
  ["a failure that stops", [BAD], "stop", { outcome: "failed", exitCode: 1, failedAt: "first", reason: "bad key" }],
  ["a failure that is skipped", [BAD, "two"], "skip", { outcome: "achieved", exitCode: 0 }],
  ["a failure of the last step", ["one", BAD], "skip", { outcome: "failed", exitCode: 1, failedAt: "second" }],
];

test.each(endings)(
  "after %s the end of the run is the last event, and outcome, exit code and ctx agree",
  async (_what, script, onFail, payload) => {
    const stage = openStage(script);
    const ctx = await stage.run(flow(onFail));
    const logged = await stage.log();
    const end = stage.tasks("run-end");
    expect(end).toHaveLength(1);
    expect(end[0]?.payload).toMatchObject(payload);
    expect(end[0]?.payload.exitCode).toBe(EXIT_CODES[end[0]!.payload.outcome]);
    expect(end[0]?.payload.failedAt).toBe(failedAt(ctx));
    expect(stage.events.at(-1)).toBe(end[0]);
    expect(logged.at(-1)?.payload).toMatchObject(payload);
    expect((await stage.lineage())["workflow"]?.outcome).toBe(end[0]?.payload.outcome);
  },
);

test("an exit code for each outcome", () => {
  expect(EXIT_CODES).toEqual({ achieved: 0, failed: 1, parked: 3, budget: 4, interrupted: 130 });
});

test.each([["stop"], ["skip"], ["continue"]] as const)("an abort ends the run as interrupted, never as a success (%s)", async (onFail) => {
  const stage = openStage([() => new Promise<never>(() => {}), "never"]);
  const controller = new AbortController();
  const running = stage.run(flow(onFail), { signal: controller.signal });
  while (stage.engine.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new FlowerError("aborted", "enough"));
  const ctx = await running;
  expect(failedAt(ctx)).toBe("first");
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "interrupted", exitCode: 130, failedAt: "first", reason: "enough" });
  expect(stage.engine.requests).toHaveLength(1);
});

test.each([["stop"], ["continue"]] as const)("a run without money left ends as such, never as a success (%s)", async (onFail) => {
  const costly = { text: "more", calls: [{ name: "nothing" }], usage: { costUsd: 2 } };
  const stage = openStage([costly], { budget: { usd: 1 } });
  await stage.run(flow(onFail));
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "budget", exitCode: 4, failedAt: "first" });
});

test("a step that used up only its agent's own budget may be continued from", async () => {
  const costly = { text: "more", calls: [{ name: "nothing" }], usage: { costUsd: 2 } };
  const stage = openStage([costly, "two"]);
  const ctx = await stage.run(flow("continue", { agent: worker({ limits: { maxBudgetUsd: 1 } }) }));
  expect(failedAt(ctx)).toBeUndefined();
});

test("an attempt that takes too long is a failed step, not an abort of the run", async () => {
  const stage = openStage(({ messages }) => (textOf(messages[0]!) === "one" ? new Promise<never>(() => {}) : "two"));
  const ctx = await stage.run(flow("skip", { timeoutMs: 30 }));
  expect(failedAt(ctx)).toBeUndefined();
  expect(resultsOf(ctx)[0]).toMatchObject({ ok: false, errorKind: "step-timeout", error: 'Step "first" was stopped after 0.03 s.' });
});

test("onStep hears of every step once, failures included, with the whole result; one that throws harms nothing", async () => {
  const stage = openStage([BAD, "two"]);
  const heard: string[] = [];
  const ctx = await stage.run(flow("skip"), {
    onStep: (step, result) => {
      heard.push(`${step.name} ${result.ok} ${result.text}`);
      throw new Error("no disk");
    },
  });
  expect(heard).toEqual(["first false ", "second true two"]);
  expect(failedAt(ctx)).toBeUndefined();
  expect(stage.runtime.uiErrors).toHaveLength(2);
});

test("the reason of a rejected step is not the verdict of an earlier one", async () => {
  const stage = openStage(["one", "not good"]);
  const workflow = new Workflow(
    [new Step("first", { agent: worker(), prompt: "one" }), new Step("second", { agent: worker(), prompt: "two", gate: () => false })],
    { context: { _verdict: { state: "achieved", ok: true, reason: "all fine", checks: [] } } },
  );
  const ctx = await stage.run(workflow);
  expect(abortedBecause(ctx)).toBe("not good");
});
