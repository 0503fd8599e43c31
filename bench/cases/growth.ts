import type { Case } from "../case.ts";
import { repeat } from "../measure.ts";
import { Script } from "../script.ts";
import { timeLongSession } from "./long-session.ts";

const SESSIONS_AT_ONCE = 10;
const LONGEST_MS = 1_000;

export const measured: Case = {
  metrics: [{ key: "ratio", title: "turn 181–200 of a session ÷ turn 1–20", unit: "×", goal: 1.1 }],
  async run(participant) {
    const { makeBot } = await participant.load();
    const ratio = await repeat(async () => {
      const script = new Script([{ text: "It is as fine as what was before." }]);
      const bot = (await makeBot({ script }))!;
      const sum = { early: 0, late: 0 };
      const start = performance.now();
      for (let n = 0; n < SESSIONS_AT_ONCE && performance.now() - start < LONGEST_MS; n++) {
        const { early, late } = await timeLongSession(bot, script, `session-${n}`);
        sum.early += early;
        sum.late += late;
      }
      await bot.close?.();
      return sum.late / sum.early;
    });
    return { ratio };
  },
};
