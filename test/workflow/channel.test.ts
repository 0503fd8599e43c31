import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedReply, ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { Event } from "../../src/messages/event.ts";
import { textOf } from "../../src/messages/message.ts";
import type { CallGuard } from "../../src/tools/call.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { worker } from "../runtime/bench.ts";
import { openStage, type Stage } from "./stage.ts";

const ask = { calls: [{ name: "mcp__human__ask", args: { question: "Red or blue?", options: ["red", "blue"] } }] };

function asking(channel: HumanChannel): Workflow {
  return new Workflow([new Step("work", { agent: worker({ tools: channel.tools }), prompt: "paint it" })], { channel });
}

/** A sink that answers what it sees asked. */
function answering(channel: HumanChannel, answer: string): (event: Event) => void {
  return (event) => {
    if (event.kind === "ask" && event.payload.kind === "question" && event.payload.state === "asked")
      channel.answer(event.payload.id, answer);
  };
}

const askStates = (events: readonly { readonly kind: string; readonly payload: unknown }[]) =>
  events.filter((event) => event.kind === "ask").map((event) => (event.payload as { state: string }).state);

test("a channel without a sink of its own is wired to the workflow's for the run, and let go after it", async () => {
  const channel = new HumanChannel({ timeoutMs: null });
  const stage = openStage([ask, "blue it is"]);
  const answer = answering(channel, "blue");
  const ctx = await stage.run(asking(channel), {
    onEvent: (event) => {
      stage.note(event);
      answer(event);
    },
  });
  expect(ctx["work"]).toBe("blue it is");
  expect(askStates(stage.events)).toEqual(["asked", "answered"]);
  expect(askStates(await stage.log())).toEqual(["asked", "answered"]);
  expect(channel.onEvent).toBeUndefined();
  const before = stage.events.length;
  await channel.send("too late for that run");
  expect(stage.events).toHaveLength(before);
});

test("a channel's own sink is kept: the workflow's hears nothing of it, the log does", async () => {
  const own: Event[] = [];
  const channel = new HumanChannel({ timeoutMs: null });
  const answer = answering(channel, "red");
  const mine = (event: Event) => {
    own.push(event);
    answer(event);
  };
  channel.onEvent = mine;
  const stage = openStage([ask, "red it is"]);
  await stage.run(asking(channel));
  expect(channel.onEvent).toBe(mine);
  expect(askStates(own)).toEqual(["asked", "answered"]);
  expect(askStates(stage.events)).toEqual([]);
  expect(askStates(await stage.log())).toEqual(["asked", "answered"]);
});

test("questions are kept in the run's store", async () => {
  const channel = new HumanChannel({ timeoutMs: 0 });
  const stage = openStage([ask, "red, I assume"]);
  await stage.run(asking(channel));
  const book = JSON.parse(await readFile(join(stage.runtime.runDir, stage.runtime.runId, "asks.json"), "utf8"));
  expect(book.asks).toMatchObject([{ id: "q1", question: "Red or blue?", state: "timeout" }]);
});

test("numbering goes on along the chain of runs", async () => {
  const first = openStage([ask, "one"]);
  const channel = () => new HumanChannel({ timeoutMs: 0 });
  const workflow = (own: HumanChannel) =>
    new Workflow([new Step("work", { agent: worker({ tools: own.tools }), prompt: "paint", gate: () => false })], { channel: own });
  await first.run(workflow(channel()));
  await first.runtime.close();
  const second = first.again([ask, "two"]);
  await second.run(workflow(channel()));
  expect(second.of("ask").map((event) => event.payload.id)).toEqual(["q2"]);
});

const lookAround: ScriptedReply = { calls: [{ name: "nothing" }] };
const readInbox: ScriptedReply = { calls: [{ name: "mcp__human__inbox" }] };
const NOTICE = "The person has sent a message. Read the inbox now.";

/** A reply that goes on, during which mail comes. */
function sending(channel: HumanChannel, words: string): ScriptedStep {
  return async () => {
    await channel.send(words);
    return lookAround;
  };
}

function notices(stage: Stage): string[] {
  const last = stage.engine.requests.at(-1)?.messages ?? [];
  return last
    .filter((message) => message.role === "user")
    .slice(1)
    .map(textOf);
}

test("mail is announced to the agent once, between iterations", async () => {
  const channel = new HumanChannel();
  const stage = openStage([sending(channel, "also in green, please"), lookAround, readInbox, "done"]);
  await stage.run(asking(channel));
  expect(notices(stage)).toEqual([NOTICE]);
  expect(channel.pendingMail).toEqual([]);
});

test("new mail is announced also when just as much was waiting before", async () => {
  const channel = new HumanChannel();
  const stage = openStage([sending(channel, "first"), readInbox, readInbox, "done"]);
  /** The first mail has just been read when the second comes, before the next look at the mailbox. */
  const readThenSpeak: CallGuard = {
    async after(call, outcome) {
      if (call.name === "mcp__human__inbox" && channel.mail.length === 1) await channel.send("second");
      return outcome;
    },
  };
  const agent = worker({ tools: channel.tools, guards: [readThenSpeak] });
  await stage.run(new Workflow([new Step("work", { agent, prompt: "paint it" })], { channel }));
  expect(notices(stage)).toEqual([NOTICE, NOTICE]);
  expect(channel.pendingMail).toEqual([]);
});
