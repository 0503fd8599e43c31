import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { Agent, type AgentOptions, isAgent } from "../../src/agents/agent.ts";
import { isFlowerError } from "../../src/core/errors.ts";
import { tool } from "../../src/tools/tool.ts";

const look = tool({ name: "look", description: "Looks.", parameters: z.object({}), execute: () => "seen" });
const ada = new Agent({ name: "ada" });

test.each<[string, AgentOptions, RegExp]>([
  ["an empty name", { name: "" }, /name/],
  ["a blank name", { name: "  " }, /name/],
  ["no name", {} as AgentOptions, /name/],
  ["two tools of one name", { name: "ada", tools: [look, look] }, /"ada".*"look"/],
  ["a built-in tool twice", { name: "ada", tools: ["Read", "Read"] }, /"ada".*"Read"/],
  ["a tool that shadows a built-in one", { name: "ada", tools: ["Read", tool({ ...optionsOf("Read") })] }, /"ada".*"Read"/],
  ["a tool that is none", { name: "ada", tools: [{ name: "look" } as never] }, /"ada".*no tool/],
  ["a built-in tool that does not exist", { name: "ada", tools: ["Reed" as never] }, /Reed.*Read, Write/],
  ["a handoff to itself, by name", { name: "ada", handoffs: ["ada"] }, /"ada".*itself/],
  ["a handoff to its own name", { name: "ada", handoffs: [ada] }, /"ada".*itself/],
  ["a handoff to nothing", { name: "ada", handoffs: [undefined as never] }, /"ada".*handoff/],
  ["an output schema without JSON Schema", { name: "ada", outputSchema: v.string() }, /"ada" outputSchema.*@valibot/],
])("%s is refused when the agent is made, naming the culprit", (_what, options, words) => {
  try {
    new Agent(options);
    expect.unreachable();
  } catch (error) {
    expect(isFlowerError(error, "bad-config"), String(error)).toBe(true);
    expect(String(error)).toMatch(words);
  }
});

test("an agent is frozen through, and does not follow what it was made from", () => {
  const tools = [look];
  const allow = ["Read"];
  const agent = new Agent({ name: "ada", tools, permissions: { allow }, limits: { maxIterations: 3 } });
  tools.pop();
  expect(agent.tools).toEqual([look]);
  for (const part of [agent, agent.tools, agent.handoffs, agent.subagents, agent.permissions, agent.limits, agent.settings, agent.guards]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("with() gives another agent; the first stays as it was", () => {
  const agent = new Agent({ name: "ada", tools: [look], limits: { maxIterations: 3 } });
  const changed = agent.with({ tools: [] });
  expect(changed.tools).toEqual([]);
  expect(changed.limits).toEqual({ maxIterations: 3 });
  expect(agent.tools).toEqual([look]);
  expect(() => agent.with({ name: "" })).toThrow(/name/);
});

test("an agent is recognised by its brand, a look-alike is not", () => {
  expect(isAgent(ada)).toBe(true);
  expect(isAgent({ ...ada })).toBe(false);
  expect(isAgent(undefined)).toBe(false);
});

test("subagents of one name are refused: a call could not tell them apart", () => {
  const twins = [new Agent({ name: "bob" }), new Agent({ name: "bob" })];
  expect(() => new Agent({ name: "ada", subagents: twins })).toThrow(/two subagents named "bob"/);
});

function optionsOf(name: string) {
  return { name, description: "", parameters: { type: "object" } as const, execute: () => "" };
}
