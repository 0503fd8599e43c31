import fc from "fast-check";
import { expect, test } from "vitest";
import { addUsage, contextTokens, NO_USAGE, totalTokens, type Usage } from "../../src/messages/usage.ts";

const tokens = fc.nat({ max: 1_000_000 });
/** Money in whole cents of a cent, so that sums are exact. */
const usage: fc.Arbitrary<Usage> = fc.record(
  { inputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens, outputTokens: tokens, costUsd: tokens },
  { requiredKeys: ["inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"] },
);

test("adding up depends neither on order nor on grouping, and nothing adds nothing", () => {
  fc.assert(
    fc.property(usage, usage, usage, (a, b, c) => {
      expect(addUsage(a, b)).toEqual(addUsage(b, a));
      expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
      expect(addUsage(a, NO_USAGE)).toEqual(a);
    }),
  );
});

test("the cost of a sum is known exactly when every cost is, and an unknown one is never 0", () => {
  fc.assert(
    fc.property(fc.array(usage, { minLength: 1 }), (all) => {
      const { costUsd } = all.reduce(addUsage, NO_USAGE);
      const known = all.every((one) => one.costUsd !== undefined);
      expect(costUsd).toBe(known ? all.reduce((sum, one) => sum + (one.costUsd ?? 0), 0) : undefined);
    }),
  );
});

test("the context level is all input, cached or not; a limit in tokens counts the output too", () => {
  const one: Usage = { inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4_000 };
  expect(contextTokens(one)).toBe(321);
  expect(totalTokens(one)).toBe(4_321);
});

test("the figures without usage are known to be nothing, and cannot be changed", () => {
  expect(NO_USAGE.costUsd).toBe(0);
  expect(Object.isFrozen(NO_USAGE)).toBe(true);
});
