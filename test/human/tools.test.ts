import { afterEach, beforeEach, expect, test } from "vitest";
import type { HumanChannel } from "../../src/human/channel.ts";
import { DECLINED, OVER_BUDGET, TIMEOUT } from "../../src/human/fixed-texts.ts";
import { resultText } from "../../src/messages/message.ts";
import { type CallOutcome, runCall } from "../../src/tools/call.ts";
import type { Tool, ToolContext } from "../../src/tools/tool.ts";
import { type Desk, makeDesk, seen, waiting } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

function call(channel: HumanChannel, name: string, args: Record<string, string | string[]> = {}, callId = "c1"): Promise<CallOutcome> {
  const tool = channel.tools.find((item) => item.name === `mcp__human__${name}`) as Tool;
  const context: ToolContext = {
    sessionId: "s1",
    path: ["boss", "hand"],
    agent: "hand",
    callId,
    metadata: {},
    history: [],
    signal: new AbortController().signal,
    services: {},
    emit: () => {},
  };
  return runCall({ type: "call", callId, name: tool.name, args }, tool, context, { clock: desk.clock });
}

test("the model reads the person's words as the person's, however long they took", async () => {
  const channel = desk.open();
  const calling = call(channel, "ask", { question: "Tabs?", options: ["yes", "no"] });
  await waiting(channel);
  await desk.clock.advance(1_234_567);
  expect(channel.pending()[0]).toMatchObject({ options: ["yes", "no"], path: ["boss", "hand"], purpose: "model" });
  channel.answer("q1", "yes, please");
  expect(await calling).toEqual({
    content: [{ type: "text", text: "The person answered after 1234.6 s:\n\nyes, please" }],
    isError: false,
  });
});

test("no answer gives the fixed text of the language, or the application's own", async () => {
  for (const language of ["en", "zh", "pt"] as const) {
    expect(resultText((await call(desk.open({ language, timeoutMs: 0 }), "ask", { question: "?" })).content)).toBe(TIMEOUT[language]);
    expect(resultText((await call(desk.open({ language, maxAsks: 0 }), "ask", { question: "?" })).content)).toBe(OVER_BUDGET[language]);
    const channel = desk.open({ language });
    const calling = call(channel, "ask", { question: "?" });
    await waiting(channel);
    channel.decline("q1", "later");
    expect(resultText((await calling).content)).toBe(`${DECLINED[language]}\n\nThe person's reason: later`);
  }
  const own = desk.open({ timeoutMs: 0, timeoutText: "Nobody home." });
  expect(resultText((await call(own, "ask", { question: "?" })).content)).toBe("Nobody home.");
});

test("an empty question is an error for the model and asks nobody", async () => {
  const channel = desk.open();
  expect(await call(channel, "ask", { question: "\n " })).toMatchObject({ isError: true });
  expect(await call(channel, "ask", {})).toMatchObject({ isError: true });
  expect(seen(desk.events)).toEqual(["q1 invalid"]);
});

test("the inbox never waits, delivers each mail once, and gives the same call the same mail again", async () => {
  const channel = desk.open({ storePath: desk.store });
  expect(resultText((await call(channel, "inbox")).content)).toBe("The inbox is empty: the person has said nothing new.");
  await channel.send("hello");
  await channel.send("world");
  const text = "The person said at 2026-01-01T00:00:00.000Z:\n\nhello\n\nThe person said at 2026-01-01T00:00:00.000Z:\n\nworld";
  expect(resultText((await call(channel, "inbox", {}, "c2")).content)).toBe(text);
  expect(resultText((await call(channel, "inbox", {}, "c3")).content)).toMatch(/empty/);
  expect(seen(desk.events)).toEqual(["m1 queued", "m2 queued", "m1 delivered", "m2 delivered"]);
  expect(channel.pendingMail).toEqual([]);
  const afterKill = desk.open({ storePath: desk.store });
  expect(resultText((await call(afterKill, "inbox", {}, "c2")).content)).toBe(text);
  expect(resultText((await call(afterKill, "inbox", {}, "c4")).content)).toMatch(/empty/);
});
