import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Runner } from "../../../src/runner/runner.ts";
import { runs } from "../../random-runs.ts";
import { agents, conversations, isAllowed, MAX_ITERATIONS, modelOf, Stagehand } from "../conversation.ts";
import { WIRE_FORMATS } from "./providers.ts";
import { type Talk, talkTo } from "./talk.ts";

describe("whatever was said, done and handed over between agents of different providers", () => {
  const talks: Talk[] = [];
  beforeAll(async () => {
    for (const format of WIRE_FORMATS) talks.push(await talkTo(format));
  });
  afterAll(async () => {
    for (const talk of talks) await talk[Symbol.asyncDispose]();
  });

  it("every request that goes over the wire keeps the rules of its provider", { timeout: 60_000 }, async () => {
    const castings = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 3, maxLength: 3 });
    const property = fc.asyncProperty(conversations, castings, async (conversation, [a, b, c]) => {
      const casting = { A: talks[a!]!, B: talks[b!]!, C: talks[c!]! };
      const turns = conversation.turns.map((turn) => ({ ...turn, ending: "well" as const }));
      const hand = new Stagehand();
      const model = modelOf({ ...conversation, turns }, hand);
      const startingAgent = agents(hand, (name) => ({
        instructions: `You are ${name}.`,
        engine: casting[name].engine(model),
        settings: casting[name].format.settings,
      }));
      for (const talk of talks) talk.bodies.length = 0;
      let current = 0;
      const limits = { maxToolIterations: MAX_ITERATIONS, maxHandoffsPerTurn: 2 };
      const runner = new Runner({
        startingAgent,
        ...limits,
        historyWindow: conversation.window,
        approve: (call) => isAllowed(call, current),
      });
      for (; current < turns.length; current++) await runner.run("s", String(current));
      const broken = talks.flatMap(({ format, bodies }) =>
        bodies.flatMap((body) => format.problems(body).map((rule) => `${format.name}: ${rule}`)),
      );
      expect(broken).toEqual([]);
    });
    await fc.assert(property, runs(25));
  });
});
