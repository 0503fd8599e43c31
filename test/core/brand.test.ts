import { expect, test } from "vitest";
import { brand, hasBrand } from "../../src/core/brand.ts";

test("a brand is known by its name, also of a function, and is no member anyone sees", () => {
  const thing = {};
  const fn = () => 1;
  brand(thing, "thing");
  brand(fn, "thing");
  expect(hasBrand(thing, "thing")).toBe(true);
  expect(hasBrand(fn, "thing")).toBe(true);
  expect(hasBrand(thing, "other")).toBe(false);
  expect(Object.keys(thing)).toEqual([]);
  expect(hasBrand({ ...thing }, "thing")).toBe(false);
});

test.each([[null], [undefined], ["text"], [1]])("%s has no brand", (value) => {
  expect(hasBrand(value, "thing")).toBe(false);
});
