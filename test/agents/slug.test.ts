import fc from "fast-check";
import { expect, test } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { AgentGraph } from "../../src/agents/agent-graph.ts";

/** The tool by which an agent hands over to one of this name. */
function transferTo(name: string): string {
  const start = new Agent({ name: "start", handoffs: [new Agent({ name })] });
  return [...new AgentGraph(start).kit(start).transfers.keys()].join();
}

test.each([
  ["Billing", "billing"],
  ["Billing & Refunds", "billing_refunds"],
  ["  spaced  ", "spaced"],
  ["São Paulo", "sao_paulo"],
  ["agent-7", "agent_7"],
  ["退款", "u9000u6b3e"],
  ["退款 desk", "u9000u6b3e_desk"],
  ["!!!", "agent"],
])("an agent named %s is reached by transfer_to_%s", (name, slug) => {
  expect(transferTo(name)).toBe(`transfer_to_${slug}`);
});

test("names in different scripts get different tools", () => {
  expect(new Set(["退款", "客服", "Помощь", "help"].map(transferTo)).size).toBe(4);
});

test("whatever an agent is called, another can hand off to it: the tool name is one that every provider takes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }), (name) => {
      fc.pre(name.trim() !== "" && name !== "start");
      expect(transferTo(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    }),
  );
});
