import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { AgentGraph } from "../../src/agents/agent-graph.ts";
import { tool } from "../../src/tools/tool.ts";

const look = tool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "seen" });

test("every agent that can be reached is known by name, however deep, and cycles by name are followed", () => {
  const c = new Agent({ name: "c", handoffs: ["a"] });
  const b = new Agent({ name: "b", handoffs: [c] });
  const a = new Agent({ name: "a", handoffs: [b, c] });
  const graph = new AgentGraph(a);
  expect([...graph.agents.keys()].sort()).toEqual(["a", "b", "c"]);
  expect(graph.kit(c).transfers.get("transfer_to_a")).toBe(a);
  expect(graph.get("b")).toBe(b);
  expect(graph.get("__proto__")).toBeUndefined();
});

test("an agent's kit has its tools and one transfer tool per handoff, made once", () => {
  const b = new Agent({ name: "Billing & Refunds" });
  const a = new Agent({ name: "a", tools: [look], handoffs: [b] });
  const graph = new AgentGraph(a);
  const kit = graph.kit(a);
  expect(kit.specs.map((spec) => spec.name)).toEqual(["look", "transfer_to_billing_refunds"]);
  expect(kit.specsWithoutTransfers.map((spec) => spec.name)).toEqual(["look"]);
  expect(kit.specs[1]?.parameters).toMatchObject({ properties: { reason: { type: "string" } } });
  expect(kit.tools.get("look")).toBe(look);
  expect(graph.kit(a)).toBe(kit);
});

test("two different agents of one name are an error that names them; the same agent twice is none", () => {
  const b = new Agent({ name: "b" });
  const other = new Agent({ name: "b" });
  expect(() => new AgentGraph(new Agent({ name: "a", handoffs: [b, new Agent({ name: "c", handoffs: [other] })] }))).toThrow(/"b"/);
  expect(new AgentGraph(new Agent({ name: "a", handoffs: [b, new Agent({ name: "c", handoffs: [b] })] })).agents.size).toBe(3);
});

test("a handoff to a name that nobody has is an error when the graph is made, and names both", () => {
  expect(() => new AgentGraph(new Agent({ name: "a", handoffs: ["nobody"] }))).toThrow(/"a".*"nobody"/);
});

test("names that give the same tool name are an error, among handoffs and with a tool", () => {
  const twins = [new Agent({ name: "help desk" }), new Agent({ name: "Help-Desk!" })];
  expect(() => new AgentGraph(new Agent({ name: "a", handoffs: twins }))).toThrow(/"a".*transfer_to_help_desk/);
  const mine = tool({ name: "transfer_to_b", description: "", parameters: { type: "object" }, execute: () => "" });
  expect(() => new AgentGraph(new Agent({ name: "a", tools: [mine], handoffs: [new Agent({ name: "b" })] }))).toThrow(/transfer_to_b/);
});

test("a built-in tool's name needs a Runtime, and the error says so", () => {
  expect(() => new AgentGraph(new Agent({ name: "a", tools: ["Read"] }))).toThrow(/"a".*"Read".*Runtime/);
});

test("an agent added later is known with all it reaches; one that cannot be used is refused and leaves nothing", () => {
  const graph = new AgentGraph(new Agent({ name: "a" }));
  graph.add(new Agent({ name: "b", handoffs: [new Agent({ name: "c" }), "a"] }));
  expect([...graph.agents.keys()]).toEqual(["a", "b", "c"]);
  expect(() => graph.add(new Agent({ name: "d", handoffs: [new Agent({ name: "a" })] }))).toThrow(/"a"/);
  expect(() => graph.add(new Agent({ name: "e", handoffs: [new Agent({ name: "x y" }), new Agent({ name: "x-y" })] }))).toThrow(/x_y/);
  expect([...graph.agents.keys()]).toEqual(["a", "b", "c"]);
});

test("agents that name each other can be added one after the other", () => {
  const graph = new AgentGraph(new Agent({ name: "a" }));
  graph.add(new Agent({ name: "b", handoffs: ["c"] }));
  graph.add(new Agent({ name: "c", handoffs: ["b"] }));
  expect([...graph.kit(graph.get("b")!).transfers.keys()]).toEqual(["transfer_to_c"]);
});
