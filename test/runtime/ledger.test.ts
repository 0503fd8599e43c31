import { expect, test } from "vitest";
import type { Usage } from "../../src/messages/usage.ts";
import { BudgetLedger, describeLimit, limitReached } from "../../src/runtime/budget.ts";

const spent = (change: Partial<Usage>): Usage => ({
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  ...change,
});

test("queries under way and settled ones add up; a query's figure replaces its earlier one", () => {
  const ledger = new BudgetLedger();
  const [a, b] = [ledger.open(), ledger.open()];
  a.update(spent({ inputTokens: 5, costUsd: 1 }));
  a.update(spent({ inputTokens: 10, costUsd: 2 }));
  b.update(spent({ outputTokens: 7, costUsd: 0.5 }));
  expect(ledger.total).toMatchObject({ inputTokens: 10, outputTokens: 7, costUsd: 2.5 });
});

test.each<[string, Usage, object, string | undefined]>([
  ["no limit", spent({ costUsd: 1e6 }), {}, undefined],
  ["below in money", spent({ costUsd: 0.99 }), { usd: 1 }, undefined],
  ["at the limit in money", spent({ costUsd: 1 }), { usd: 1 }, "usd"],
  ["over in money", spent({ costUsd: 1.5 }), { usd: 1 }, "usd"],
  ["a limit of nothing", spent({}), { usd: 0 }, "usd"],
  [
    "tokens count cached input and output",
    spent({ inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 }),
    { tokens: 10 },
    "tokens",
  ],
  ["below in tokens", spent({ inputTokens: 9 }), { tokens: 10 }, undefined],
  ["an unknown price reaches no limit in money", spent({ costUsd: undefined, inputTokens: 1e9 }), { usd: 0.01 }, undefined],
  ["but its tokens count", spent({ costUsd: undefined, inputTokens: 10 }), { usd: 1, tokens: 10 }, "tokens"],
])("%s", (_what, usage, limits, limit) => {
  expect(limitReached(usage, limits)?.limit).toBe(limit);
});

test("one query of unknown price does not hide what the others are known to have cost", () => {
  const ledger = new BudgetLedger({ usd: 1 });
  ledger.open().update(spent({ costUsd: 5 }));
  ledger.open().update(spent({ costUsd: undefined, inputTokens: 3 }));
  expect(ledger.total.costUsd).toBeUndefined();
  expect(ledger.reached()).toEqual({ limit: "usd", used: 5, of: 1 });
});

test("a limit reads as a line", () => {
  expect(describeLimit({ limit: "usd", used: 1.23456, of: 1 })).toBe("$1.2346 of $1.00");
  expect(describeLimit({ limit: "tokens", used: 120_000, of: 100_000 })).toBe("120,000 of 100,000 tokens");
});
