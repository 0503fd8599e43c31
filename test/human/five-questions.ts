import { expect } from "vitest";
import type { Ask } from "../../src/human/ask.ts";
import type { HumanChannel } from "../../src/human/channel.ts";

/** Five questions that are asked side by side, by whomever: what becomes of each is told by its words. */
export const FIVE = ["one?", "two?", "three?", "declined?", "never answered?"] as const;

/** Waits until all five wait, then settles four of them in another order than they came; the fifth is left to its time. */
export async function settleFive(channel: HumanChannel): Promise<void> {
  while (channel.pending().length < FIVE.length) await new Promise((resolve) => setImmediate(resolve));
  for (const question of [FIVE[2], FIVE[3], FIVE[0], FIVE[1]]) {
    const asks = channel.pending().filter((ask) => ask.question === question);
    expect(asks).toHaveLength(1);
    const { id } = asks[0] as Ask;
    expect(question === FIVE[3] ? channel.decline(id, "why five?") : channel.answer(id, `answer to ${question}`)).toBe(true);
  }
}

/** Each got its own outcome and no other's; `asks` in any order. */
export function expectFive(asks: readonly Ask[]): void {
  const outcomes = new Map(asks.map((ask) => [ask.question, [ask.state, ask.answer]]));
  expect(Object.fromEntries(outcomes)).toEqual({
    [FIVE[0]]: ["answered", "answer to one?"],
    [FIVE[1]]: ["answered", "answer to two?"],
    [FIVE[2]]: ["answered", "answer to three?"],
    [FIVE[3]]: ["declined", "why five?"],
    [FIVE[4]]: ["timeout", ""],
  });
  expect(new Set(asks.map((ask) => ask.id)).size).toBe(FIVE.length);
}
