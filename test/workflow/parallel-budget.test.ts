import { expect, test } from "vitest";
import type { Script } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { failedAt } from "../../src/workflow/ctx.ts";
import { parallel } from "../../src/workflow/parallel.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage, type Stage } from "./stage.ts";

const NAMES = ["a", "b", "c"];

/** Three steps that each pay 40 cents a call and need some, the first all at once. */
function spending(calls = 1): Script {
  let here = 0;
  return async ({ messages }) => {
    here++;
    while (here < NAMES.length) await new Promise((resolve) => setImmediate(resolve));
    const usage = { inputTokens: 10, outputTokens: 1, costUsd: 0.4 };
    return messages.filter(({ role }) => role === "model").length >= calls
      ? { text: "done", usage }
      : { text: "more", calls: [{ name: "nothing" }], usage };
  };
}

const reached = (stage: Stage) => stage.tasks("budget").flatMap(({ payload }) => (payload.level === "reached" ? [payload.of] : []));
const steps = (limits = {}) => parallel(NAMES.map((name) => new Step(name, { agent: worker({ limits }), prompt: name })));

test("that the run's limit is reached is said once, however many steps stop at it", async () => {
  const stage = openStage(spending(), { budget: { usd: 1 } });
  const ctx = await stage.run(new Workflow([steps()]));
  expect(reached(stage)).toEqual([1]);
  expect(stage.tasks("run-end")[0]?.payload).toMatchObject({ outcome: "budget", exitCode: 4 });
  expect(NAMES).toContain(failedAt(ctx));
});

test("a raised limit that is reached too is said again, once", async () => {
  const channel = new HumanChannel({ timeoutMs: null });
  const answers = ["$1.90", "$9"];
  channel.onEvent = ({ kind, payload }) => {
    if (kind === "ask" && payload.kind === "question" && payload.state === "asked") channel.answer(payload.id, answers.shift() ?? "stop");
  };
  const stage = openStage(spending(3), { budget: { usd: 1 } });
  const ctx = await stage.run(new Workflow([steps()], { channel }));
  expect(failedAt(ctx)).toBeUndefined();
  expect(reached(stage)).toEqual([1, 1.9]);
});

test("a limit of an agent's own is said for each step that stops at it", async () => {
  const stage = openStage(spending());
  await stage.run(new Workflow([steps({ maxBudgetUsd: 0.3 })]));
  expect(reached(stage).length).toBeGreaterThan(0);
  expect(new Set(reached(stage))).toEqual(new Set([0.3]));
  const stopped = (await stage.manifest()).filter((row) => row.errorKind === "budget");
  expect(reached(stage)).toHaveLength(stopped.length);
});
