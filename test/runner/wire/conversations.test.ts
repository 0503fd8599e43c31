import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemorySessionStore } from "../../../src/sessions/memory.ts";
import { runs } from "../../random-runs.ts";
import { conversations, play } from "../conversation.ts";
import { WIRE_FORMATS } from "./providers.ts";
import { type Talk, talkTo } from "./talk.ts";

describe("whatever was said, done, refused, broken off and handed over between agents of different providers", () => {
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
      for (const talk of talks) talk.bodies.length = 0;
      await play(conversation, {
        store: (fault) => new MemorySessionStore({ fault }),
        cast: (model) => (name) => ({
          instructions: `You are ${name}.`,
          engine: casting[name].engine(model),
          settings: casting[name].format.settings,
        }),
      });
      const broken = talks.flatMap(({ format, bodies }) =>
        bodies.flatMap((body) => format.problems(body).map((rule) => `${format.name}: ${rule}`)),
      );
      expect(broken).toEqual([]);
    });
    await fc.assert(property, runs(30));
  });
});
