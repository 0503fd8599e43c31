import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import type { ScriptedCall } from "../../src/engines/scripted.ts";
import { eventsOf, ofKind, plainTool, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const look = plainTool("look", (_args, context) => `seen by ${context.agent}`);

/** Support may hand over to Billing, and back. */
function team() {
  const billing = new Agent({ name: "Billing", instructions: "Bill.", tools: [plainTool("refund")], handoffs: ["Support"] });
  return new Agent({ name: "Support", instructions: "Support.", tools: [look], handoffs: [billing] });
}

function to(name: string, reason?: string): ScriptedCall {
  return { name: `transfer_to_${name}`, args: reason === undefined ? {} : { reason } };
}

describe.each(STORES)("a handoff over the %s store", (_name, make) => {
  it("gives the conversation to another agent, with its instructions and tools, who stays active in later turns", async () => {
    const fixture = make();
    const script = [{ calls: [to("billing", "a refund")] }, "Billing here.", "Still Billing."];
    const { runner, engine } = stage(script, { startingAgent: team(), fixture });
    const first = await runner.run("s", "my money back");
    expect(first).toMatchObject({
      content: "Billing here.",
      activeAgentName: "Billing",
      handoff: { targetAgentName: "Billing", reason: "a refund" },
      toolCallsExecuted: ["transfer_to_billing"],
      finishReason: "done",
    });
    expect((await (await fixture.reopen()).read("s"))?.activeAgent).toBe("Billing");
    const second = await runner.run("s", "and?");
    expect(second).toMatchObject({ activeAgentName: "Billing", handoff: undefined });
    const offered = engine.requests.map(({ instructions, tools }) => [instructions, tools.map((tool) => tool.name).join()]);
    expect(offered).toEqual([
      ["Support.", "look,transfer_to_billing"],
      ["Bill.", "refund,transfer_to_support"],
      ["Bill.", "refund,transfer_to_support"],
    ]);
  });

  it("happens after the other calls of its reply, which run under the agent that asked; every call has one result", async () => {
    const script = [{ calls: [to("billing"), { name: "look" }, { name: "refund" }] }, "Billing here."];
    const { runner } = stage(script, { startingAgent: team(), fixture: make() });
    const run = runner.stream("s", "hi");
    expect(await run.response).toMatchObject({ toolCallsExecuted: ["look", "transfer_to_billing"] });
    expect(transcript((await runner.session("s"))!.history)).toEqual([
      "user: hi",
      "Support: transfer_to_billing({}) look({}) refund({})",
      'results: transfer_to_billing=The conversation is now with Billing. look=seen by Support refund!=Tool "refund" does not exist. Available: look, transfer_to_billing.',
      "Billing: Billing here.",
    ]);
    const kinds = (await eventsOf(run)).map((event) => event.kind);
    expect(kinds.slice(-3)).toEqual(["transfer", "text", "result"]);
  });
});

describe("a handoff", () => {
  it("is an event of its own, that says from, to and why", async () => {
    const { runner } = stage([{ calls: [to("billing", "a refund")] }, "Here."], { startingAgent: team() });
    const [event] = ofKind(await eventsOf(runner.stream("s", "hi")), "transfer");
    expect(event).toMatchObject({ text: "Support → Billing: a refund", payload: { from: "Support", to: "Billing", reason: "a refund" } });
  });

  it("needs no reason, and none that makes sense", async () => {
    const script = [{ calls: [{ name: "transfer_to_billing", args: "{oops" as never, malformed: true as const }] }, "Here."];
    const { runner } = stage(script, { startingAgent: team() });
    expect((await runner.run("s", "hi")).handoff).toEqual({ targetAgentName: "Billing", reason: "" });
  });

  it("to two agents in one reply takes the first, and the second gets an error", async () => {
    const triage = new Agent({ name: "Triage", handoffs: [new Agent({ name: "Sales" }), new Agent({ name: "Care" })] });
    const { runner } = stage([{ calls: [to("care"), to("sales")] }, "Care here."], { startingAgent: triage });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "Care", toolCallsExecuted: ["transfer_to_care"] });
    expect(transcript((await runner.session("s"))!.history)[2]).toBe(
      "results: transfer_to_care=The conversation is now with Care. transfer_to_sales!=The conversation was already handed over in this reply; only the first transfer counts.",
    );
  });

  it("goes back and forth, and the response tells the last", async () => {
    const script = [{ calls: [to("billing", "1")] }, { calls: [to("support", "2")] }, "Support again."];
    const { runner } = stage(script, { startingAgent: team() });
    expect(await runner.run("s", "hi")).toMatchObject({
      activeAgentName: "Support",
      handoff: { targetAgentName: "Support", reason: "2" },
      toolCallsExecuted: ["transfer_to_billing", "transfer_to_support"],
    });
  });
});

describe("an agent", () => {
  it("that the session was with and that does not exist any more is replaced by the starting one, and an event says so", async () => {
    const fixture = STORES[0][1]();
    const before = stage([{ calls: [to("billing")] }, "Here."], { startingAgent: team(), fixture });
    await before.runner.run("s", "hi");
    const after = stage(["Hello again."], { startingAgent: new Agent({ name: "Front Desk" }), fixture });
    const run = after.runner.stream("s", "hi");
    expect((await run.response).activeAgentName).toBe("Front Desk");
    expect((await eventsOf(run))[0]).toMatchObject({
      kind: "task",
      payload: { type: "notice", code: "agent-missing", data: { missing: "Billing", answering: "Front Desk" } },
    });
    expect((await after.runner.session("s"))?.activeAgent).toBe("Front Desk");
  });

  it("registered later answers for the sessions that are with it, and can hand over to the others", async () => {
    const fixture = STORES[0][1]();
    const billing = new Agent({ name: "Billing", handoffs: ["Support"] });
    const before = stage([{ calls: [to("billing")] }, "Here."], {
      startingAgent: new Agent({ name: "Support", handoffs: [billing] }),
      fixture,
    });
    await before.runner.run("s", "hi");
    const { runner } = stage([{ calls: [to("support")] }, "Support here."], { startingAgent: new Agent({ name: "Support" }), fixture });
    runner.registerAgent(billing);
    expect([...runner.agents.keys()]).toEqual(["Support", "Billing"]);
    expect(await runner.run("s", "hi")).toMatchObject({ content: "Support here.", activeAgentName: "Support" });
  });
});
