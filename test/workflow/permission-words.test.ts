import { expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import type { Event } from "../../src/messages/event.ts";
import { worker } from "../../src/runtime/roles.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { openStage } from "./stage.ts";

test("other words on a permission question are no consent, and they reach the agent", async () => {
  const channel = new HumanChannel({ timeoutMs: null });
  channel.onEvent = (event: Event) => {
    if (event.kind !== "ask" || event.payload.kind !== "question" || event.payload.state !== "asked") return;
    channel.answer(event.payload.id, "only to the branch called demo");
  };
  const push = { calls: [{ name: "Bash", args: { command: "git push origin main" } }] };
  const stage = openStage({ worker: [push, "I could not push.", "Understood."] });
  await stage.run(new Workflow([new Step("work", { agent: worker(), prompt: "publish" })], { channel }));
  expect(stage.of("tool_result")[0]).toMatchObject({ text: expect.stringContaining("refused"), payload: { isError: true } });
  expect(stage.prompt("worker", 2)).toContain("only to the branch called demo");
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});

test("a plain yes that a program passes on as it is allows the call, and is no mail", async () => {
  const channel = new HumanChannel({ timeoutMs: null });
  channel.onEvent = (event: Event) => {
    if (event.kind === "ask" && event.payload.kind === "question" && event.payload.state === "asked")
      channel.answer(event.payload.id, "Sim.");
  };
  const stage = openStage({ worker: [{ calls: [{ name: "Bash", args: { command: "echo pushed; git push 2>/dev/null" } }] }, "Pushed."] });
  await stage.run(new Workflow([new Step("work", { agent: worker(), prompt: "publish" })], { channel }));
  expect(stage.of("tool_result")[0]?.text).toContain("pushed");
  expect(channel.mail).toEqual([]);
});
