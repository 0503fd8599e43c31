import fc from "fast-check";
import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { DEFAULT_RESILIENCE, retryDelay } from "../../src/runtime/resilience.ts";

const plain = new FlowerError("overloaded", "");
const asks = (retryAfterMs: unknown) => new FlowerError("rate-limited", "", { details: { retryAfterMs } });
const middle = () => 0.5;
const randoms = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

test("delays double from 4 s to at most 120 s", () => {
  const delays = [2, 3, 4, 5, 6, 7, 8, 60].map((attempt) => retryDelay(plain, attempt, DEFAULT_RESILIENCE, middle));
  expect(delays).toEqual([4_000, 8_000, 16_000, 32_000, 64_000, 120_000, 120_000, 120_000]);
});

test("every delay is within 25 % of its base, and the variation is used", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), randoms, (attempt, random) => {
      const base = retryDelay(plain, attempt, DEFAULT_RESILIENCE, middle);
      const delay = retryDelay(plain, attempt, DEFAULT_RESILIENCE, () => random);
      expect(delay).toBeGreaterThanOrEqual(base * 0.75 - 1);
      expect(delay).toBeLessThanOrEqual(base * 1.25 + 1);
    }),
  );
  expect(retryDelay(plain, 2, DEFAULT_RESILIENCE, () => 0)).toBe(3_000);
  expect(retryDelay(plain, 2, DEFAULT_RESILIENCE, () => 1)).toBe(5_000);
});

test("what the provider asked for is never undercut, nor cut off at our own longest delay", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.nat({ max: 3_600_000 }), randoms, (attempt, asked, random) => {
      const delay = retryDelay(asks(asked), attempt, DEFAULT_RESILIENCE, () => random);
      expect(delay).toBeGreaterThanOrEqual(asked);
      expect(delay).toBeGreaterThanOrEqual(retryDelay(plain, attempt, DEFAULT_RESILIENCE, () => random));
    }),
  );
  expect(retryDelay(asks(3_600_000), 2, DEFAULT_RESILIENCE)).toBe(3_600_000);
});

test.each([["soon"], [Number.NaN], [-5_000], [undefined]])("a Retry-After of %s changes nothing", (asked) => {
  expect(retryDelay(asks(asked), 2, DEFAULT_RESILIENCE, middle)).toBe(4_000);
});
