import { Agent, Runner, tool } from "flower-agents";
import { ScriptedEngine } from "flower-agents/testing";

const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  parameters: {
    type: "object",
    properties: { order: { type: "string" } },
    required: ["order"],
    additionalProperties: false,
  },
  execute: ({ order }) => `Order ${order} has been refunded.`,
});

const billing = new Agent({ name: "Billing", instructions: "You handle invoices and refunds.", tools: [refund] });
const support = new Agent({ name: "Support", instructions: "You greet and route.", handoffs: [billing] });

// Scripted, so that this runs without a key. With a model: engine: openai("gpt-4o"), or leave it out.
const engine = new ScriptedEngine([
  { calls: [{ name: "transfer_to_billing", args: { reason: "a refund is wanted" } }] },
  { calls: [{ name: "refund", args: { order: "505" } }] },
  "Order 505 has been paid back.",
  "You are welcome. Anything else about your bill?",
]);

const runner = new Runner({ startingAgent: support, engine, maxHandoffsPerTurn: 5, maxToolIterations: 10 });
try {
  const response = await runner.run("s1", "Please refund order 505.", { metadata: { channel: "web" } });
  console.log(response.content);
  console.log(`Handled by: ${response.activeAgentName}`);
  console.log(`Tools used: ${response.toolCallsExecuted.join(", ")}`);
  if (response.handoff) console.log(`Handoff target: ${response.handoff.targetAgentName} (Reason: ${response.handoff.reason})`);

  for await (const event of runner.stream("s1", "Thanks!")) console.log(`${event.kind}: ${event.text}`);
} finally {
  await runner.close();
}
