import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";

test.each([
  [{ instructions: 5 }, "instructions must be a text or a function that gives one, not 5"],
  [{ instructions: null }, "instructions"],
  [{ model: ["gpt-4o"] }, "model must be a text, not a list"],
  [{ engine: "openai" }, "engine must be an engine"],
  [{ engine: {} }, "engine"],
  [{ tools: {} }, "tools must be a list, not an object"],
  [{ tools: [null] }, "null is no tool. Use tool({"],
  [{ tools: [Object.create(null)] }, "an object is no tool"],
  [{ tools: ["Browse"] }, '"Browse" is no tool'],
  [{ handoffs: "B" }, 'handoffs must be a list, not "B"'],
  [{ handoffs: [null] }, "the handoff to null leads to no agent"],
  [{ subagents: ["B"] }, 'the subagent "B" is no agent'],
  [{ permissions: null }, "permissions must be an object"],
  [{ limits: null }, "limits: the options must be an object"],
  [{ limits: { maxIterations: -1 } }, "limits: maxIterations"],
  [{ limits: { maxBudgetUsd: "1" } }, 'limits: maxBudgetUsd must be a number ≥ 0, not "1"'],
  [{ limits: { timeoutMs: 0 } }, "limits: timeoutMs"],
  [{ limits: { timeout: 5 } }, '"timeout". Known: maxIterations, maxBudgetUsd, timeoutMs'],
  [{ outputSchema: 5 }, "outputSchema"],
  [{ settings: null }, "settings: the options must be an object"],
  [{ settings: { temprature: 1 } }, '"temprature". Known: temperature, '],
  [{ settings: { temperature: "hot" } }, "settings: temperature"],
  [{ settings: { maxOutputTokens: 1.5 } }, "settings: maxOutputTokens"],
  [{ settings: { stopSequences: "END" } }, "settings: stopSequences must be a list"],
  [{ settings: { toolChoice: "any" } }, 'settings.toolChoice must be "auto", "none", "required" or { tool: name }, not "any"'],
  [{ settings: { toolChoice: {} } }, "settings.toolChoice"],
  [{ guards: [null] }, "a guard must be an object"],
  [{ guards: () => {} }, "guards must be a list, not a function"],
  [{ handofs: [] }, '"handofs". Known: name, '],
])("an agent refuses %j, naming the agent or its kind, and the option", (options, named) => {
  let error: unknown;
  try {
    new Agent({ name: "A", ...options } as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "bad-config", message: expect.stringContaining(named) });
  expect((error as Error).message).toMatch(/^Agent/);
});

test.each([[undefined], [null], [""], ["A"], [{}], [{ name: 5 }], [{ name: " " }]])("%j makes no agent", (options) => {
  expect(() => new Agent(options as never)).toThrow(expect.objectContaining({ code: "bad-config" }));
});

test("an agent takes every option in each of its forms", () => {
  const settings = { temperature: 0, topP: 1, maxOutputTokens: 1, toolChoice: { tool: "look" }, stopSequences: [], providerOptions: {} };
  const limits = { maxIterations: 0, maxBudgetUsd: Infinity, timeoutMs: undefined };
  const guards = [{ before: () => undefined }, { after: (_call: unknown, outcome: never) => outcome }];
  const options = { instructions: () => "Speak.", model: "m", engine: new ScriptedEngine([]), subagents: [new Agent({ name: "B" })] };
  expect(() => new Agent({ name: "A", settings, limits, guards, tools: ["Read"], handoffs: ["C"], ...options })).not.toThrow();
});
