import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FedHistory } from "../../src/backends/native/fed-history.ts";
import { ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import { type Message, type ResultPart, resultText } from "../../src/messages/message.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { call, model, result, tool, user } from "../messages/conversation.ts";
import { openBench, worker } from "../runtime/bench.ts";

const MINUTE_MS = 60_000;

/** A history of looks around, whose last reply came now. */
function looks(clock: FakeClock, count: number): Message[] {
  const at = new Date(clock.now()).toISOString();
  const pairs = Array.from({ length: count }, (_, i) => [{ ...model(call(`c${i}`, "Bash")), at }, tool(result(`c${i}`, "Bash"))]);
  return [user("go"), ...pairs.flat()];
}

const shown = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "result" ? [resultText((part as ResultPart).content)] : [])));

describe("the beginning of what is fed", () => {
  it("stays as it is while the provider remembers it, and is rewritten when it has forgotten it", async () => {
    const clock = new FakeClock();
    const fed = new FedHistory(clock, async () => true);
    const messages = looks(clock, 8);
    expect(await fed.feed(messages)).toBe(messages);
    await clock.advance(6 * MINUTE_MS);
    const rewritten = await fed.feed(messages);
    expect(shown(rewritten).filter((text) => text.includes("expired"))).toHaveLength(2);
  });

  it("is not rewritten again by what follows", async () => {
    const clock = new FakeClock();
    const fed = new FedHistory(clock, async () => true);
    const messages = looks(clock, 8);
    await clock.advance(6 * MINUTE_MS);
    const before = await fed.feed(messages);
    const at = new Date(clock.now()).toISOString();
    const more = [...messages, { ...model(call("new", "Bash")), at }, tool(result("new", "Bash"))];
    const after = await fed.feed(more);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 2);
  });

  it("asks about each call once", async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const fed = new FedHistory(clock, async ({ callId }) => asked.push(callId) > 0);
    const messages = looks(clock, 3);
    await clock.advance(6 * MINUTE_MS);
    await fed.feed(messages);
    await fed.feed(messages);
    expect(asked).toEqual(["c0", "c1", "c2"]);
  });

  it("of another, shorter history is that history's", async () => {
    const clock = new FakeClock();
    const fed = new FedHistory(clock, async () => true);
    const messages = looks(clock, 8);
    await clock.advance(6 * MINUTE_MS);
    await fed.feed(messages);
    const shorter = looks(clock, 1);
    expect(await fed.feed(shorter)).toBe(shorter);
  });
});

it("after a long pause a worker's old looks have expired for its model, and stand in its session as before", async () => {
  const look = (i: number): ScriptedReply => ({ calls: [{ name: "Bash", args: { command: `ls d${i}` } }] });
  const engine = new ScriptedEngine([...Array.from({ length: 8 }, (_, i) => look(i)), "first", "second"]);
  const bench = openBench([], { engine });
  for (let i = 0; i < 8; i++) mkdirSync(`${bench.folder}/d${i}`);
  const agent = worker({ tools: ["Bash"], permissions: { mode: "bypassPermissions" } });
  const first = await bench.finish(bench.runtime.run(agent, "Look."));
  await bench.clock.advance(10 * MINUTE_MS);
  await bench.finish(bench.runtime.run(agent, "And now?", { resume: first.sessionId }));
  const [warm, cold] = engine.requests.slice(-2);
  expect(shown(warm!.messages).some((text) => text.includes("expired"))).toBe(false);
  expect(shown(cold!.messages).filter((text) => text.includes("expired"))).toHaveLength(2);
});
