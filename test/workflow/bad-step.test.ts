import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { Runtime } from "../../src/runtime/runtime.ts";
import { HandedIn } from "../../src/workflow/document-tools.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";

const agent = new Agent({ name: "A" });

test.each<[string, () => unknown, string]>([
  ["a step without agent", () => new Step("s", { prompt: "go" } as never), "needs an agent"],
  ["a step without prompt", () => new Step("s", { agent } as never), "needs a prompt"],
  ["a step with an unknown option", () => new Step("s", { agent, prompt: "go", retry: 3 } as never), '"retry". Known: agent, prompt, '],
  ["a step with an unknown onFail", () => new Step("s", { agent, prompt: "go", onFail: "ignore" } as never), "onFail must be one of"],
  ["an agent with an unknown option", () => new Agent({ name: "A", tool: [] } as never), '"tool". Known: name, '],
  ["an agent with a limit below zero", () => new Agent({ name: "A", limits: { maxIterations: -1 } }), "maxIterations"],
  ["an agent with an unknown limit", () => new Agent({ name: "A", limits: { iterations: 1 } as never }), '"iterations"'],
  ["an agent with an unknown output type", () => new Agent({ name: "A", outputSchema: { type: "objekt" } }), '"objekt"'],
  ["a workflow with an unknown option", () => new Workflow([], { resume: true } as never), '"resume"'],
  ["a runtime with an unknown option", () => new Runtime({ cwd: "." } as never), '"cwd"'],
  ["a channel with an unknown option", () => new HumanChannel({ timeout: 5 } as never), '"timeout"'],
])("%s is refused when made", (_what, make, named) => {
  let error: unknown;
  try {
    make();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "bad-config", message: expect.stringContaining(named) });
});

test("of two documents in one reply the first counts; a later reply may correct it", () => {
  const into = new HandedIn<string>();
  const reply = (...callIds: string[]) => ({
    id: callIds.join(),
    role: "model" as const,
    at: "",
    parts: callIds.map((callId) => ({ type: "call" as const, callId, name: "verdict", args: {} })),
  });
  const one = [reply("a", "b")];
  expect(into.put("first", { sessionId: "s", callId: "a", history: one })).toBe(true);
  expect(into.put("second", { sessionId: "s", callId: "b", history: one })).toBe(false);
  expect(into.put("other session", { sessionId: "t", callId: "b", history: one })).toBe(true);
  expect(into.take("s")).toBe("first");
  into.put("first", { sessionId: "s", callId: "a", history: one });
  expect(into.put("corrected", { sessionId: "s", callId: "c", history: [...one, reply("c")] })).toBe(true);
  expect(into.take("s")).toBe("corrected");
});
