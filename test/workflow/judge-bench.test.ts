import { beforeAll, describe, expect, test } from "vitest";
import { isDone } from "../../bench/judge/case.ts";
import { type Rate, ratesOf, ratesTable } from "../../bench/judge/rates.ts";
import { CASES, type Judged, judgeAll } from "../../bench/judge/run.ts";

let judged: readonly Judged[] = [];
let rates: readonly Rate[] = [];

beforeAll(async () => {
  judged = await judgeAll(CASES);
  rates = ratesOf(judged);
}, 180_000);

test("there are at least 40 pieces of work, of both kinds, each with a name of its own", () => {
  expect(CASES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  expect(CASES.filter(isDone).length).toBeGreaterThanOrEqual(10);
});

test("every command of a check was run, but those that want a person's consent; every run came to a verdict", () => {
  const ran = judged.flatMap(({ hardChecks }) => hardChecks).length;
  const commands = CASES.flatMap(({ items }) => items).filter(({ command }) => command !== undefined && !command.startsWith("sudo"));
  expect(ran).toBe(commands.length);
  expect(judged.every(({ verdict }) => verdict !== undefined)).toBe(true);
});

describe("work that is not done never passes", () => {
  test.each([
    "hard checks, item by item",
    "whole run, honest judge",
    "derivation, credulous judge, a command tells",
    "derivation, judge without evidence",
    "derivation, judge that leaves an item out",
    "words, credulous judge",
    "words, judge that repeats the report",
    "words, honest judge",
  ])("%s", (what) => {
    const rate = rateOf(what);
    expect(rate.falsePasses).toEqual([]);
    expect(rate.undone).toBeGreaterThan(20);
  });
});

test.each(["hard checks, item by item", "whole run, honest judge", "derivation, credulous judge, a command tells"])(
  "work that is done is not sent back: %s",
  (what) => {
    expect(rateOf(what).falseRejects).toEqual([]);
    expect(rateOf(what).done).toBeGreaterThan(10);
  },
);

test("the figures can be bad: without commands a credulous judge passes what is not done", () => {
  const { undone, falsePasses } = rateOf("credulous judge, no command tells");
  expect(falsePasses.length).toBe(undone);
  expect(undone).toBeGreaterThan(3);
  expect(ratesTable(rates)).toContain(`${undone} of ${undone} (100 %)`);
});

function rateOf(what: string): Rate {
  return rates.find((rate) => rate.what === what) as Rate;
}
