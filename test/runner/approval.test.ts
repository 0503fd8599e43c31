import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agents/agent.ts";
import type { PendingCall } from "../../src/runner/approval.ts";
import { tool } from "../../src/tools/tool.ts";
import { calling, eventsOf, plainTool, type Setting, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

/** Pays when allowed; large sums need approval. */
function payments() {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays a sum.",
    parameters: z.object({ sum: z.number() }),
    needsApproval: ({ sum }) => sum > 100,
    execute: ({ sum }) => {
      paid.push(sum);
      return `paid ${sum}`;
    },
  });
  return { pay, paid };
}

function paying(...sums: readonly unknown[]) {
  return { calls: sums.map((sum) => ({ name: "pay", args: { sum } as never })) };
}

async function decidedBy(approve: Setting["approve"]) {
  const { pay, paid } = payments();
  const { runner } = stage([paying(500, 20, 900), "Done."], { tools: [pay], approve });
  const response = await runner.run("s", "pay");
  return { paid, response, results: transcript((await runner.session("s"))?.history ?? [])[2] };
}

describe("a call that needs approval", () => {
  it("runs when approve says so, with the call to decide about in hand; others are not asked about", async () => {
    const asked: PendingCall[] = [];
    const { paid, response } = await decidedBy((call) => {
      asked.push(call);
      return true;
    });
    expect(paid.toSorted((a, b) => a - b)).toEqual([20, 500, 900]);
    expect(asked).toEqual([500, 900].map((sum) => ({ callId: expect.any(String), name: "pay", args: { sum }, agent: "Helper" })));
    expect(response.finishReason).toBe("done");
  });

  it("does not run when approve refuses, and the model reads the reason", async () => {
    const { paid, results, response } = await decidedBy(async ({ args }) => ({
      approve: JSON.stringify(args) === '{"sum":500}',
      reason: "Too much",
    }));
    expect(paid.toSorted((a, b) => a - b)).toEqual([20, 500]);
    expect(results).toBe(
      'results: pay=paid 500 pay=paid 20 pay!=The person did not allow this call of "pay". They say: Too much. Do not try it in another form.',
    );
    expect(response.toolCallsExecuted).toEqual(["pay", "pay"]);
  });

  it("pauses the turn when approve leaves it pending", async () => {
    const { paid, response } = await decidedBy(({ args }) => (JSON.stringify(args) === '{"sum":500}' ? "pending" : true));
    expect(paid.toSorted((a, b) => a - b)).toEqual([20, 900]);
    expect(response).toMatchObject({ finishReason: "needs-approval", content: "", pending: [{ args: { sum: 500 } }] });
  });

  it("is decided about only when its arguments are valid", async () => {
    const { pay } = payments();
    const { runner } = stage([paying("all of it"), "Sorry."], { tools: [pay] });
    expect(await runner.run("s", "pay")).toMatchObject({ content: "Sorry.", pending: [] });
  });

  it("does not run when the question whether it needs one fails", async () => {
    const ran: string[] = [];
    const needsApproval = () => {
      throw new Error("policy.db is missing");
    };
    const { runner } = stage([calling("look"), "Sorry."], { tools: [plainTool("look", () => void ran.push("look"), { needsApproval })] });
    await runner.run("s", "go");
    expect(ran).toEqual([]);
    expect(transcript((await runner.session("s"))!.history)[2]).toMatch(/^results: look!="look" failed \(trace/);
  });
});

describe.each(STORES)("a turn over the %s store that waits for approval", (_name, make) => {
  it("is not history yet, keeps its place, and lists what is pending in the order of the calls", async () => {
    const { pay } = payments();
    const { runner, store } = stage([paying(900, 20, 500)], { tools: [pay], fixture: make() });
    const response = await runner.run("s", "pay");
    expect(response).toMatchObject({ finishReason: "needs-approval", activeAgentName: "Helper", iterations: 1 });
    expect(response.pending.map((call) => call.args)).toEqual([{ sum: 900 }, { sum: 500 }]);
    expect(await runner.session("s")).toBeUndefined();
    expect(await store.turns("s")).toMatchObject([{ turnId: response.turnId, status: "paused" }]);
  });

  it("goes on with the decisions: what is approved runs once, what is refused is answered", async () => {
    const { pay, paid } = payments();
    const { runner } = stage([paying(900, 20, 500), "Paid."], { tools: [pay], fixture: make() });
    const { pending, turnId } = await runner.run("s", "pay");
    const decisions = pending.map(({ callId }, i) => ({ callId, approve: i === 0, reason: "Why?" }));
    const response = await runner.resume("s", decisions);
    expect(response).toMatchObject({ content: "Paid.", finishReason: "done", turnId, iterations: 2, toolCallsExecuted: ["pay", "pay"] });
    expect(paid).toEqual([20, 900]);
    expect(transcript((await runner.session("s"))!.history)).toEqual([
      "user: pay",
      'Helper: pay({"sum":900}) pay({"sum":20}) pay({"sum":500})',
      'results: pay=paid 900 pay=paid 20 pay!=The person did not allow this call of "pay". They say: Why? Do not try it in another form.',
      "Helper: Paid.",
    ]);
  });

  it("is dropped by a new message, which says so", async () => {
    const { pay, paid } = payments();
    const { runner, engine } = stage([paying(900), "Hello."], { tools: [pay], fixture: make() });
    const { pending, turnId } = await runner.run("s", "pay");
    const run = runner.stream("s", "never mind");
    const [event] = await eventsOf(run);
    expect(event).toMatchObject({ kind: "task", payload: { code: "turn-discarded", data: { turnId, paused: true, inFlight: [] } } });
    await run.response;
    expect(transcript(engine.requests[1]!.messages)).toEqual(["user: never mind"]);
    await expect(runner.resume("s", [{ callId: pending[0]!.callId, approve: true }])).rejects.toMatchObject({ code: "not-found" });
    expect(paid).toEqual([]);
  });

  it("is dropped by discard, once, and the session is as before", async () => {
    const { pay } = payments();
    const { runner } = stage(["Hi.", paying(900), "Hello."], { tools: [pay], fixture: make() });
    await runner.run("s", "hi");
    await runner.run("s", "pay");
    expect([await runner.discard("s"), await runner.discard("s")]).toEqual([true, false]);
    expect((await runner.session("s"))?.history).toHaveLength(2);
    await expect(runner.recover("s")).rejects.toMatchObject({ code: "not-found" });
  });

  it("keeps its session's metadata from being changed under it", async () => {
    const { pay } = payments();
    const { runner } = stage([paying(900)], { tools: [pay], fixture: make() });
    await runner.run("s", "pay");
    await expect(runner.setMetadata("s", {})).rejects.toMatchObject({ code: "session-busy" });
  });

  it("makes calls that must run after an undecided one wait, too", async () => {
    const order: string[] = [];
    const serial = (name: string, needsApproval = false) =>
      plainTool(name, () => void order.push(name), { parallel: false, needsApproval });
    const tools = [serial("drop", true), serial("create")];
    const { runner } = stage([calling("drop", "create"), "Done."], { tools, fixture: make() });
    const { pending } = await runner.run("s", "go");
    expect([pending.map((call) => call.name), order]).toEqual([["drop"], []]);
    await runner.resume("s", [{ callId: pending[0]!.callId, approve: true }]);
    expect(order).toEqual(["drop", "create"]);
  });

  it("hands over only when all other calls are decided", async () => {
    const { pay } = payments();
    const { runner } = stage([{ calls: [{ name: "transfer_to_b" }, ...paying(900).calls] }, "B here."], {
      startingAgent: new Agent({ name: "A", tools: [pay], handoffs: [new Agent({ name: "B" })] }),
      fixture: make(),
    });
    const { pending, activeAgentName } = await runner.run("s", "pay and hand over");
    expect(activeAgentName).toBe("A");
    const response = await runner.resume("s", [{ callId: pending[0]!.callId, approve: true }]);
    expect(response).toMatchObject({ content: "B here.", activeAgentName: "B", toolCallsExecuted: ["pay", "transfer_to_b"] });
  });
});
