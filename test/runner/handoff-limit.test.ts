import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import type { RecordedRequest } from "../../src/engines/scripted.ts";
import { calling, plainTool, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const REFUSED = "No further handoff is possible in this turn. Answer with what you have.";

/** A and B hand over to each other; both can look. */
function pair() {
  const tools = [plainTool("look")];
  const b = new Agent({ name: "B", tools, handoffs: ["A"] });
  return new Agent({ name: "A", tools, handoffs: [b] });
}

function offersTransfers(request: RecordedRequest): boolean {
  return request.tools.some((tool) => tool.name.startsWith("transfer_"));
}

describe.each(STORES)("the handoff limit over the %s store", (_name, make) => {
  it("refuses before the active agent moves, offers no transfer afterwards, and is said", async () => {
    const script = [calling("transfer_to_b"), calling("transfer_to_a"), calling("look"), "Staying."];
    const { runner, engine } = stage(script, { startingAgent: pair(), maxHandoffsPerTurn: 1, fixture: make() });
    const response = await runner.run("s", "hi");
    expect(response).toMatchObject({
      content: "Staying.",
      activeAgentName: "B",
      finishReason: "handoff-limit",
      handoff: { targetAgentName: "B" },
      toolCallsExecuted: ["transfer_to_b", "look"],
    });
    expect(engine.requests.map(offersTransfers)).toEqual([true, true, false, false]);
    expect(transcript((await runner.session("s"))!.history)[4]).toBe(`results: transfer_to_a!=${REFUSED}`);
    expect((await runner.session("s"))?.activeAgent).toBe("B");
  });

  it("holds for one turn: the next may hand over again", async () => {
    const script = [calling("transfer_to_b"), calling("transfer_to_a"), "Staying.", calling("transfer_to_a"), "A again."];
    const { runner } = stage(script, { startingAgent: pair(), maxHandoffsPerTurn: 1, fixture: make() });
    await runner.run("s", "hi");
    expect(await runner.run("s", "go on")).toMatchObject({ activeAgentName: "A", finishReason: "done" });
  });
});

describe("the handoff limit", () => {
  it("is 5 by default", async () => {
    const ring = (name: string, next: string | Agent) => new Agent({ name, handoffs: [next] });
    const startingAgent = ring("A", ring("B", ring("C", "A")));
    const { runner } = stage((request) => (offersTransfers(request) ? calling(request.tools[0]!.name) : "Here."), { startingAgent });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "C", finishReason: "handoff-limit", iterations: 7 });
  });

  it("of 0 allows none", async () => {
    const { runner } = stage([calling("transfer_to_b"), "Staying."], { startingAgent: pair(), maxHandoffsPerTurn: 0 });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "A", finishReason: "handoff-limit", handoff: undefined });
  });

  it("is also the same transfer a third time with no other call between", async () => {
    const pingPong = Array.from({ length: 5 }, (_, i) => calling(i % 2 === 0 ? "transfer_to_b" : "transfer_to_a"));
    const { runner } = stage([...pingPong, "Staying with A."], { startingAgent: pair(), maxHandoffsPerTurn: 100, maxToolIterations: 100 });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "A", finishReason: "handoff-limit" });
    expect(transcript((await runner.session("s"))!.history).at(-2)).toBe(`results: transfer_to_b!=${REFUSED}`);
  });

  it("does not count transfers between which work was done", async () => {
    const busy = Array.from({ length: 3 }, () => [calling("transfer_to_b"), calling("look"), calling("transfer_to_a")]).flat();
    const { runner } = stage([...busy, "Done."], { startingAgent: pair(), maxHandoffsPerTurn: 100, maxToolIterations: 100 });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "A", finishReason: "done" });
  });

  it("once reached refuses transfers that are not offered any more, whatever was done since", async () => {
    const pingPong = Array.from({ length: 5 }, (_, i) => calling(i % 2 === 0 ? "transfer_to_b" : "transfer_to_a"));
    const script = [...pingPong, calling("look"), calling("transfer_to_b"), "Staying."];
    const { runner } = stage(script, { startingAgent: pair(), maxHandoffsPerTurn: 100, maxToolIterations: 100 });
    expect(await runner.run("s", "hi")).toMatchObject({ activeAgentName: "A", finishReason: "handoff-limit" });
  });
});
