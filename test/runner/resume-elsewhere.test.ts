import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ApprovalDecision } from "../../src/runner/approval.ts";
import type { AgentResponse } from "../../src/runner/response.ts";
import { Runner } from "../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { newFolder } from "../folder.ts";
import { runs } from "../random-runs.ts";
import { runChild } from "./child.ts";
import { notingAgent, notingModel, whatRan } from "./noting-agent.ts";
import { transcript } from "./transcript.ts";

/** Lets a turn pause in a database of its own; decisions are made in other processes, one for each call of `decide`. */
async function pausedTurn(words: string) {
  const folder = newFolder();
  const open = () => {
    const sessionStore = new SqliteSessionStore(join(folder, "chat.db"));
    return new Runner({ startingAgent: notingAgent({ folder, needsApproval: true }), engine: notingModel(), sessionStore });
  };
  const runner = open();
  const { pending } = await runner.run("s", words);
  await runner.close();
  const decide = async (...decisions: readonly ApprovalDecision[]) =>
    JSON.parse((await runChild("resuming", folder, JSON.stringify(decisions))).output) as AgentResponse;
  const results = async () => {
    await using after = open();
    return transcript((await after.session("s"))!.history)[2];
  };
  return { ids: pending.map((call) => call.callId), decide, ran: () => whatRan(folder), results };
}

it("a paused turn goes on in other processes, decision by decision, and every approved call runs once", async () => {
  const { ids, decide, ran, results } = await pausedTurn("work");
  const [charge, send, look] = ids as [string, string, string];
  const second = await decide({ callId: look, approve: true });
  expect(second).toMatchObject({ finishReason: "needs-approval", pending: [{ callId: charge }, { callId: send }] });
  expect(ran()).toEqual(["look:work"]);
  const third = await decide({ callId: send, approve: false, reason: "No mails." }, { callId: charge, approve: true });
  expect(third).toMatchObject({ finishReason: "done", content: "Done with work.", toolCallsExecuted: ["look", "charge"] });
  expect(ran()).toEqual(["look:work", "charge:work"]);
  expect(await results()).toBe(
    'results: charge=charge done send!=The person did not allow this call of "send". They say: No mails. Do not try it in another form. look=look done',
  );
});

it("what waits is told in another process, before anything of the session is committed, and asking runs nothing", async () => {
  const { ids, decide, ran } = await pausedTurn("work");
  for (let i = 0; i < 2; i++) {
    const { finishReason, pending } = await decide();
    expect({ finishReason, waits: pending.map((call) => call.callId) }).toEqual({ finishReason: "needs-approval", waits: ids });
  }
  expect(ran()).toEqual([]);
});

const FIVE = ["a", "b", "c", "d", "e"];

it("five calls are decided in any order by three other processes, two refused, one decided once more: each keeps its first word", async () => {
  const order = fc.shuffledSubarray(FIVE, { minLength: FIVE.length });
  const property = fc.asyncProperty(order, fc.shuffledSubarray(FIVE, { minLength: 2, maxLength: 2 }), async (order, refused) => {
    const { ids, decide, ran, results } = await pausedTurn(FIVE.join());
    const decision = (name: string) => ({ callId: ids[FIVE.indexOf(name)]!, approve: !refused.includes(name) });
    const first = await decide(...order.slice(0, 2).map(decision));
    expect(first.pending.map((call) => call.callId)).toEqual(ids.filter((_, n) => order.indexOf(FIVE[n]!) >= 2));
    const again = decision(order[0]!);
    const second = await decide({ ...again, approve: !again.approve }, ...order.slice(2, 4).map(decision));
    expect(second).toMatchObject({ finishReason: "needs-approval", pending: [{ callId: decision(order[4]!).callId }] });
    expect(await decide(decision(order[4]!))).toMatchObject({ finishReason: "done", content: `Done with ${FIVE.join()}.` });
    expect(ran().toSorted()).toEqual(FIVE.filter((name) => !refused.includes(name)).map((name) => `charge:${name}`));
    const outcomes = (await results())?.match(/charge(?:!=The person did not allow|=charge done)/g);
    expect(outcomes).toEqual(FIVE.map((name) => (refused.includes(name) ? "charge!=The person did not allow" : "charge=charge done")));
  });
  await fc.assert(property, runs(1)); // three processes each
});
