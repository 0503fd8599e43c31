import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../../src/agents/agent.ts";
import { checkHistory } from "../../../src/messages/history.ts";
import { Runner } from "../../../src/runner/runner.ts";
import { SqliteSessionStore } from "../../../src/sessions/sqlite.ts";
import { tool } from "../../../src/tools/tool.ts";
import { type Answer, events, failure, serve } from "../../engines/server.ts";
import { WIRES, type Wire } from "../../engines/wires.ts";
import { stoppedClock } from "../stage.ts";

const IDLE_MS = 60_000;

const FAULTS: readonly (readonly [code: string, how: string, answer: (wire: Wire) => Answer])[] = [
  ["rate-limited", "429 with Retry-After", () => failure(429, { error: { message: "Slow down" } }, { "retry-after": "7" })],
  ["overloaded", "overload in mid-stream", (wire) => events([...wire.begin("Hel"), wire.overloaded])],
  ["stream-cut", "a broken connection", (wire) => events(wire.begin("Hel"), "destroy")],
  ["stream-cut", "a stream without a finish", (wire) => events(wire.begin("Hel"), "close")],
  ["engine-idle", "silence", (wire) => events(wire.begin("Hel"), "hang")],
  ["content-filter", "a withheld answer", (wire) => events([...wire.begin("I"), ...wire.filtered])],
  ["context-overflow", "an input that is too long", (wire) => failure(wire.overflow.status, wire.overflow.body)],
  ["auth", "a refused key", (wire) => failure(wire.badKey.status, wire.badKey.body)],
];

const add = tool({
  name: "add",
  description: "Adds one.",
  parameters: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  execute: ({ a }) => Number(a) + 1,
});

describe.each(WIRES)("a conversation over $name", (wire) => {
  const fine: Answer = events([...wire.begin("Hello."), ...wire.end]);

  async function talk(second: Answer, ask: (runner: Runner, passIdleTime: () => Promise<void>) => Promise<unknown>) {
    const answers = [fine, second];
    await using server = await serve((response, request) => (answers.shift() ?? fine)(response, request));
    const startingAgent = new Agent({ name: "A", engine: wire.engine(server.url), tools: [add] });
    const clock = stoppedClock();
    const runner = new Runner({ startingAgent, sessionStore: new SqliteSessionStore(":memory:"), idleTimeoutMs: IDLE_MS, clock });
    const passIdleTime = async () => {
      await vi.waitFor(() => expect(server.requests).toHaveLength(2), { timeout: 20_000, interval: 5 });
      await clock.advance(IDLE_MS);
    };
    await runner.run("s", "first");
    const before = (await runner.session("s"))?.history;
    await ask(runner, passIdleTime);
    const between = (await runner.session("s"))?.history;
    expect((await runner.run("s", "third")).content).toBe("Hello.");
    const history = (await runner.session("s"))?.history ?? [];
    await runner.close();
    return { before, between, history };
  }

  it.each(FAULTS)("ends a turn with %s on %s, and the session is as before", async (code, _how, answer) => {
    const { before, between, history } = await talk(answer(wire), async (runner, passIdleTime) => {
      const refused = expect(runner.run("s", "second")).rejects.toMatchObject({ code });
      if (code === "engine-idle") await passIdleTime();
      await refused;
    });
    expect(between).toEqual(before);
    expect(history).toHaveLength(4);
    expect(checkHistory(history)).toEqual([]);
  });

  it.runIf(wire.call)("lets the model read that its arguments were no JSON, and goes on", async () => {
    const { history } = await talk(events(wire.call?.('{"a": 1, "b":') ?? []), async (runner) => {
      expect((await runner.run("s", "second")).content).toBe("Hello.");
    });
    expect(JSON.stringify(history)).toContain("Invalid arguments for");
    expect(checkHistory(history)).toEqual([]);
  });
});
