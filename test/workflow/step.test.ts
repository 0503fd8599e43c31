import { expect, test } from "vitest";
import { isFlowerError } from "../../src/core/errors.ts";
import { Step, StepAbort, type StepOptions } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";

const options: StepOptions = { agent: worker(), prompt: "go" };
const step = (name: string, change: Partial<StepOptions> = {}) => new Step(name, { ...options, ...change });

test.each<[string, () => unknown, RegExp]>([
  ["a step without a name", () => step(" "), /name that is not empty/],
  ["a step with a reserved name", () => step("_goal"), /"_goal".*reserved/],
  ["negative retries", () => step("work", { retries: -1 }), /"work".*retries.*-1/],
  ["half a retry", () => step("work", { retries: 0.5 }), /"work".*0\.5/],
  ["a workflow without steps", () => new Workflow([]), /at least one step/],
  ["two steps of one name", () => new Workflow([step("work"), step("work")]), /"work"/],
  ["a step that is none", () => new Workflow([{ name: "work", options } as never]), /new Step/],
])("%s is refused when it is made", (_what, make, words) => {
  try {
    make();
    expect.unreachable();
  } catch (error) {
    expect(isFlowerError(error, "bad-config"), String(error)).toBe(true);
    expect(String(error)).toMatch(words);
  }
});

test("a step is frozen, and with() gives another", () => {
  const made = step("work", { retries: 1 });
  expect(Object.isFrozen(made)).toBe(true);
  expect(Object.isFrozen(made.options)).toBe(true);
  const changed = made.with({ retries: 2 });
  expect([made.options.retries, changed.options.retries, changed.name]).toEqual([1, 2, "work"]);
});

test("a workflow does not follow the list it was made from", () => {
  const steps = [step("work")];
  const workflow = new Workflow(steps);
  steps.push(step("more"));
  expect(workflow.steps.map((one) => one.name)).toEqual(["work"]);
});

test("a StepAbort carries its reason and what lies behind it", () => {
  const abort = new StepAbort("no use", { code: "budget" });
  expect(isFlowerError(abort, "step-aborted")).toBe(true);
  expect(abort).toMatchObject({ name: "StepAbort", message: "no use", retryable: false, details: { code: "budget" } });
});
