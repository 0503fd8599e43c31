import { join } from "node:path";
import { expect, it } from "vitest";
import type { AgentResponse } from "../../src/runner/response.ts";
import { Runner } from "../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../src/sessions/sqlite.ts";
import { newFolder } from "../folder.ts";
import { runChild } from "./child.ts";
import { notingAgent, notingModel, whatRan } from "./noting-agent.ts";
import { transcript } from "./transcript.ts";

it("a paused turn goes on in other processes, decision by decision, and every approved call runs once", async () => {
  const folder = newFolder();
  const agent = notingAgent({ folder, needsApproval: true });
  const open = () =>
    new Runner({ startingAgent: agent, engine: notingModel(), sessionStore: new SqliteSessionStore(join(folder, "chat.db")) });
  const runner = open();
  const { pending } = await runner.run("s", "work");
  await runner.close();
  const [charge, send, look] = pending.map((call) => call.callId);

  const elsewhere = async (...decisions: readonly object[]) =>
    JSON.parse((await runChild("resuming", folder, JSON.stringify(decisions))).output) as AgentResponse;
  const second = await elsewhere({ callId: look, approve: true });
  expect(second).toMatchObject({ finishReason: "needs-approval", pending: [{ callId: charge }, { callId: send }] });
  expect(whatRan(folder)).toEqual(["look:work"]);
  const third = await elsewhere({ callId: send, approve: false, reason: "No mails." }, { callId: charge, approve: true });
  expect(third).toMatchObject({ finishReason: "done", content: "Done with work.", toolCallsExecuted: ["look", "charge"] });
  expect(whatRan(folder)).toEqual(["look:work", "charge:work"]);

  await using after = open();
  expect(transcript((await after.session("s"))!.history)[2]).toBe(
    'results: charge=charge done send!=The person did not allow this call of "send". They say: No mails. Do not try it in another form. look=look done',
  );
});
