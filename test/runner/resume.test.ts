import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { ScriptedEngine } from "../../src/engines/scripted.ts";
import type { ApprovalDecision } from "../../src/runner/approval.ts";
import { Runner } from "../../src/runner/runner.ts";
import { type Tool, tool } from "../../src/tools/tool.ts";
import { runs } from "../random-runs.ts";
import { sqliteFixture } from "../sessions/fixtures.ts";
import { calling, deferred, plainTool, rejection, STORES, stage } from "./stage.ts";
import { transcript } from "./transcript.ts";

const CALLS = 5;

/** Five calls of one reply that all need approval; each notes that it ran. */
function fiveCalls(ran: number[]): Agent {
  const act = tool({
    name: "act",
    description: "Acts.",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    needsApproval: true,
    execute: ({ n }) => {
      ran.push(n as number);
      return `did ${n}`;
    },
  });
  return new Agent({ name: "Actor", tools: [act] });
}

const askForAll = { calls: Array.from({ length: CALLS }, (_, n) => ({ name: "act", args: { n } })) };

/** The order in which the calls are decided, in how many sittings, which two are refused, which one is decided twice. */
const course = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: CALLS }),
  sittings: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: CALLS, maxLength: CALLS }),
  refused: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2, maxLength: 2 }),
  twice: fc.nat(CALLS - 1),
});

describe("five calls that wait for approval", () => {
  it("run exactly when approved and once, in whatever order they are decided, with a new process at each sitting", async () => {
    const property = fc.asyncProperty(course, async ({ order, sittings, refused, twice }) => {
      const fixture = sqliteFixture();
      const ran: number[] = [];
      const engine = new ScriptedEngine([askForAll, "All decided."]);
      const inNewProcess = async <T>(act: (runner: Runner) => Promise<T>) => {
        await using runner = new Runner({ startingAgent: fiveCalls(ran), engine, sessionStore: await fixture.reopen() });
        return act(runner);
      };
      let response = await inNewProcess((runner) => runner.run("s", "go"));
      const ids = response.pending.map((call) => call.callId);
      const decide = (n: number): ApprovalDecision => ({ callId: ids[n]!, approve: !refused.includes(n) });
      const decided: number[] = [];
      for (let at = 0, i = 0; at < CALLS; at += sittings[i++]!) {
        const now = order.slice(at, at + sittings[i]!);
        decided.push(...now);
        const again = decided.includes(twice) ? [{ callId: ids[twice]!, approve: true }] : [];
        const stale = now.includes(twice) ? [] : again;
        response = await inNewProcess((runner) => runner.resume("s", [...stale, ...now.map(decide)]));
        const open = ids.filter((_, n) => !decided.includes(n));
        expect(response.pending.map((call) => call.callId)).toEqual(open);
        expect(ran.toSorted()).toEqual(decided.filter((n) => !refused.includes(n)).toSorted());
      }
      expect(response).toMatchObject({ content: "All decided.", finishReason: "done" });
      const [, , results] = transcript((await fixture.store.read("s"))!.history);
      expect(results?.match(/act(!=The person did not allow|=did \d)/g)).toEqual(
        ids.map((_, n) => (refused.includes(n) ? "act!=The person did not allow" : `act=did ${n}`)),
      );
      await fixture.cleanup();
    });
    await fc.assert(property, runs(12));
  });
});

describe.each(STORES)("a resumed turn over the %s store", (_name, make) => {
  it("that fails stays open with what was done, to be resumed again", async () => {
    const ran: string[] = [];
    const tools = [plainTool("pay", () => void ran.push("pay"), { needsApproval: true })];
    const { runner, store } = stage([calling("pay"), new Error("down"), "Paid."], { tools, fixture: make() });
    const { pending, turnId } = await runner.run("s", "pay");
    const decisions = [{ callId: pending[0]!.callId, approve: true }];
    expect(await rejection(runner.resume("s", decisions))).toMatchObject({ message: "down" });
    expect(await store.turns("s")).toMatchObject([{ turnId, status: "paused" }]);
    expect(await runner.resume("s", decisions)).toMatchObject({ content: "Paid.", toolCallsExecuted: ["pay"] });
    expect(ran).toEqual(["pay"]);
  });

  it("by two at once, with the same decision, runs the call once; the second finds nothing open", async () => {
    const ran: string[] = [];
    const fixture = make();
    const tools = [plainTool("pay", () => void ran.push("pay"), { needsApproval: true })];
    const { runner, engine } = stage([calling("pay"), "Paid."], { tools, fixture });
    const elsewhere = new Runner({ startingAgent: new Agent({ name: "Helper", tools }), engine, sessionStore: await fixture.reopen() });
    const { pending } = await runner.run("s", "pay");
    const decisions = [{ callId: pending[0]!.callId, approve: true }];
    const outcomes = await Promise.allSettled([runner, elsewhere].map((each) => each.resume("s", decisions)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toMatchObject([{ value: { content: "Paid." } }]);
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: { code: "not-found" } }]);
    expect(ran).toEqual(["pay"]);
  });

  it("that is aborted in the middle of an approved call never runs it again: its effect is unknown", async () => {
    const working = deferred();
    const gate = deferred();
    let times = 0;
    const pay = () => {
      times++;
      working.resolve();
      return gate.promise;
    };
    const { runner } = stage([calling("pay"), "Checked."], { tools: [plainTool("pay", pay, { needsApproval: true })], fixture: make() });
    const { pending } = await runner.run("s", "pay");
    const decisions = [{ callId: pending[0]!.callId, approve: true }];
    const run = runner.resumeStream("s", decisions);
    await working.promise;
    run.abort(new Error("enough"));
    expect(await rejection(run.response)).toMatchObject({ message: "enough" });
    gate.resolve();
    expect((await runner.resume("s", decisions)).content).toBe("Checked.");
    expect(times).toBe(1);
    expect(transcript((await runner.session("s"))!.history)[2]).toMatch(/^results: pay!=Interrupted .* effect is unknown/);
  });

  it("runs an idempotent call that was interrupted again, without asking a second time", async () => {
    const working = deferred();
    let times = 0;
    const put: Tool["execute"] = async (_args, { signal }) => {
      if (++times === 2) return "put";
      working.resolve();
      await once(signal, "abort");
    };
    const tools = [plainTool("put", put, { needsApproval: true, idempotent: true })];
    const { runner } = stage([calling("put"), "Done."], { tools, fixture: make() });
    const { pending } = await runner.run("s", "put");
    const run = runner.resumeStream("s", [{ callId: pending[0]!.callId, approve: true }]);
    await working.promise;
    run.abort();
    await rejection(run.response);
    expect(await runner.recover("s")).toMatchObject({ content: "Done.", finishReason: "done" });
    expect(times).toBe(2);
  });

  it("cannot be resumed when there is none", async () => {
    const { runner } = stage(["Hi."], { fixture: make() });
    await expect(runner.resume("s", [])).rejects.toMatchObject({ code: "not-found" });
    await runner.run("s", "hi");
    await expect(runner.recover("s")).rejects.toMatchObject({ code: "not-found" });
    expect((await runner.session("s"))?.history).toHaveLength(2);
  });
});
