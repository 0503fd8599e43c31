import assert from "node:assert/strict";
import type { Arithmetic } from "../arithmetic.ts";
import type { Setup } from "../bot.ts";
import { repeat } from "../measure.ts";
import type { Participant } from "../participants.ts";

export interface Shape extends Pick<Setup, "script" | "handoff"> {
  readonly tool?: Arithmetic;
  /** Turns in one conversation. */
  readonly length: number;
  readonly modelCallsPerTurn: number;
  readonly toolRunsPerTurn?: number;
}

const TURNS_AT_ONCE = 1_000;
const LONGEST_MS = 1_000;

/** Microseconds for one turn, over many short conversations held one after the other. Undefined when there is no such bot. */
export async function timeTurns(participant: Participant, shape: () => Shape): Promise<number | undefined> {
  const { makeBot } = await participant.load();
  if (!(await makeBot(shape()))) return undefined;
  return repeat(async () => {
    const { length, modelCallsPerTurn, toolRunsPerTurn = 0, ...setup } = shape();
    const bot = (await makeBot(setup))!;
    let turns = 0;
    const start = performance.now();
    for (let n = 0; turns < TURNS_AT_ONCE && performance.now() - start < LONGEST_MS; n++) {
      const session = `session-${n}`;
      for (let i = 0; i < length; i++) await bot.say(session, "What do you think?");
      turns += length;
    }
    const ms = performance.now() - start;
    assert.equal(setup.script.calls, turns * modelCallsPerTurn, "model calls");
    if (setup.tool) assert.equal(setup.tool.runs, turns * toolRunsPerTurn, "tool runs");
    assert((await bot.count("session-0")) >= length * 2, "the whole conversation is kept");
    assert(setup.script.sent >= length * 2 - 1, "the whole conversation is sent");
    await bot.close?.();
    return (ms / turns) * 1_000;
  });
}
