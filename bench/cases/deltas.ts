import assert from "node:assert/strict";
import type { Case } from "../case.ts";
import { repeat, time } from "../measure.ts";
import { Script } from "../script.ts";

const FRAGMENTS = Array.from({ length: 5_000 }, (_, n) => `word${n} `);

export const measured: Case = {
  metrics: [{ key: "us", title: "stream of 5,000 deltas, per delta", unit: "µs", goal: "fastest" }],
  async run(participant) {
    const { makeBot } = await participant.load();
    const us = await repeat(async () => {
      const bot = (await makeBot({ script: new Script([{ text: FRAGMENTS.join(""), fragments: FRAGMENTS }]) }))!;
      let seen = 0;
      const ms = await time(() => bot.say("session", "Tell me everything.", { onDelta: () => seen++ }));
      assert.equal(seen, FRAGMENTS.length, "every delta arrives");
      await bot.close?.();
      return (ms / FRAGMENTS.length) * 1_000;
    });
    return { us };
  },
};
