import { expect, test } from "vitest";
import { HumanChannel } from "../../src/human/channel.ts";
import { tool } from "../../src/tools/tool.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage } from "./stage.ts";

test("every interrupt is told at once, on screen and in the log, with the person's words or without", async () => {
  const said = ["Use a capital H.", " "];
  const speak = tool({
    name: "speak",
    description: "The person speaks meanwhile.",
    parameters: { type: "object" },
    execute: () => void stage.runtime.interrupt(said.shift()),
  });
  const call = { calls: [{ name: "speak", args: {} }] };
  const stage = openStage([call, call, "done"]);
  const channel = new HumanChannel({ timeoutMs: null });
  await stage.run(new Workflow([new Step("work", { agent: worker({ tools: [speak] }), prompt: "go" })], { channel }));
  const told = [expect.stringMatching(/interrupt.*: Use a capital H\.$/), "The agent is stopped for a moment at its next message."];
  const notices = (events: Iterable<{ readonly text: string; readonly payload: unknown }>) =>
    [...events].filter(({ payload }) => JSON.stringify(payload).includes('"interrupted"')).map(({ text }) => text);
  expect(notices(stage.tasks("notice"))).toEqual(told);
  expect(notices(await stage.log())).toEqual(told);
});
