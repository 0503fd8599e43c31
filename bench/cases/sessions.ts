import assert from "node:assert/strict";
import type { Bot } from "../bot.ts";
import type { Case } from "../case.ts";
import { time } from "../measure.ts";
import { Script } from "../script.ts";

const SESSIONS = 1_000;
const TURNS = 5;
/** So that compiled code is measured, as in a server that has been up for a while. */
const WARM_UP = 200;
const LATENCY_MS = 20;

export const measured: Case = {
  metrics: [
    { key: "ms", title: "1,000 sessions × 5 turns at once, model latency 20 ms (ideal: 100 ms)", unit: "ms", goal: 200 },
    { key: "mb", title: "the same: memory of the process at its peak (RSS)", unit: "MB", goal: 120 },
  ],
  async run(participant) {
    const { makeBot } = await participant.load();
    const script = new Script([{ text: "It is fine." }], { latencyMs: LATENCY_MS });
    const bot = (await makeBot({ script }))!;
    await Promise.all(Array.from({ length: WARM_UP }, (_, n) => talk(bot, `warm-up-${n}`)));
    const ms = await time(() => Promise.all(Array.from({ length: SESSIONS }, (_, n) => talk(bot, `session-${n}`))));
    const mb = process.resourceUsage().maxRSS / 1_000;
    assert((await bot.count(`session-${SESSIONS - 1}`)) >= 2 * TURNS, "the whole conversation is kept");
    return { ms, mb };
  },
};

async function talk(bot: Bot, session: string): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await bot.say(session, "What do you think?");
}
