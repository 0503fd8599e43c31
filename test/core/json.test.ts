import fc from "fast-check";
import { expect, test } from "vitest";
import { isRecord, parseJson, toJson } from "../../src/core/json.ts";

test("JSON data comes through unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJson(value)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("whatever the value, what comes out can be serialised and parsed back to the same", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
      const json = toJson(value);
      expect(JSON.parse(JSON.stringify(json))).toEqual(json);
    }),
  );
});

test.each([
  ["undefined", undefined, null],
  ["a function", () => 1, null],
  ["a bigint", 12345678901234567890n, "12345678901234567890"],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["members that JSON cannot hold", { a: undefined, b: () => 1, c: Symbol("s"), d: 1 }, { d: 1 }],
  ["NaN", Number.NaN, null],
])("%s becomes data", (_what, value, json) => {
  expect(toJson(value)).toEqual(json);
});

test("a cycle is left out; the same object twice without a cycle is kept twice", () => {
  const loop: Record<string, unknown> = { name: "loop" };
  loop["self"] = loop;
  loop["list"] = [loop, 1];
  expect(toJson(loop)).toEqual({ name: "loop", list: [null, 1] });
  const shared = { x: 1 };
  expect(toJson({ a: shared, b: [shared, shared] })).toEqual({ a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] });
});

test("text that is not JSON parses to undefined, and JSON's null to null", () => {
  expect(parseJson("{")).toBeUndefined();
  expect(parseJson("")).toBeUndefined();
  expect(parseJson("null")).toBeNull();
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
});

test.each([[null], [[]], ["text"], [undefined], [() => {}]])("%s is no record", (value) => {
  expect(isRecord(value)).toBe(false);
});
