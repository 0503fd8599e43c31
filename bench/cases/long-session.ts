import assert from "node:assert/strict";
import type { Bot } from "../bot.ts";
import type { Script } from "../script.ts";

export const TURNS = 200;
export const WINDOW = 20;

/** Milliseconds for the first and for the last 20 turns of one conversation of 200. */
export async function timeLongSession(bot: Bot, script: Script, session: string): Promise<{ early: number; late: number }> {
  let early = 0;
  let late = 0;
  for (let from = 0; from < TURNS; from += WINDOW) {
    const start = performance.now();
    for (let i = 0; i < WINDOW; i++) await bot.say(session, "And what do you think of this?");
    const ms = performance.now() - start;
    if (from === 0) early = ms;
    late = ms;
  }
  assert((await bot.count(session)) >= 2 * TURNS, "the whole conversation is kept");
  assert(script.sent >= 2 * TURNS - 1, "the whole conversation is sent");
  return { early, late };
}
