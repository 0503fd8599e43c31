import { expect, test } from "vitest";
import { readBudgetAnswer } from "../../src/workflow/budget-answer.ts";

test.each<[string, number]>([
  ["20", 20],
  ["$20", 20],
  ["20 dollars, please", 20],
  ["raise it to 12.50.", 12.5],
  ["subir para 7,5 por favor", 7.5],
  ["提高到 20 美元", 20],
  ["1,500", 1500],
  ["200k", 200_000],
  ["2M tokens", 2_000_000],
  ["20", 20],
])("%j is the new limit in total", (text, to) => {
  expect(readBudgetAnswer(text, 5)).toEqual({ to });
});

test.each(["stop", "Stop here.", "no", "Enough!", "pare", "não", "停", "到此为止。"])("%j is a stop", (text) => {
  expect(readBudgetAnswer(text, 5)).toEqual({ stop: true });
});

test.each([
  ["no amount", "go on"],
  ["no more than is used", "5"],
  ["less than is used", "$3"],
  ["two amounts", "10 or 20"],
  ["an amount on top", "5 more"],
  ["an amount on top, with a sign", "+20"],
  ["an amount on top, in Chinese", "再加 20"],
  ["an amount that is refused", "not 20"],
  ["an amount that is refused, in Portuguese", "não passe de 20"],
  ["other money", "20 €"],
  ["other money, before the amount", "R$20"],
  ["a part", "20 %"],
  ["thousands that could be decimals", "1.000"],
  ["nothing", "  "],
])("%s is not clear (%j)", (_what, text) => {
  expect(readBudgetAnswer(text, 5)).toBeUndefined();
});
