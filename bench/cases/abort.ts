import assert from "node:assert/strict";
import type { Bot } from "../bot.ts";
import type { Case } from "../case.ts";
import { repeat } from "../measure.ts";
import { Script } from "../script.ts";

export const measured: Case = {
  metrics: [{ key: "us", title: "abort while the model thinks → the turn has settled", unit: "µs" }],
  async run(participant) {
    const { makeBot } = await participant.load();
    const script = new Script([{ text: "Never said." }], { latencyMs: Number.POSITIVE_INFINITY });
    const bot = (await makeBot({ script }))!;
    let n = 0;
    return { us: await repeat(() => abortOnce(bot, script, `session-${n++}`), { least: 20 }) };
  },
};

async function abortOnce(bot: Bot, script: Script, session: string): Promise<number> {
  const asked = new Promise<void>((resolve) => (script.onRequest = resolve));
  const controller = new AbortController();
  const settled = bot.say(session, "Think.", { signal: controller.signal }).then(
    () => "answered",
    () => "aborted",
  );
  await asked;
  await new Promise(setImmediate); // whatever the library does besides has begun
  const start = performance.now();
  controller.abort();
  const outcome = await settled;
  const us = (performance.now() - start) * 1_000;
  assert.equal(outcome, "aborted", "an aborted turn does not end like an answered one");
  return us;
}
