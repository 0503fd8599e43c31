import { expect, expectTypeOf, test } from "vitest";
import { ERROR_CODES, type ErrorCode, FlowerError, isFlowerError, messageOf, toFlowerError } from "../../src/core/errors.ts";

test("an error of another loaded copy of the package is recognised", async () => {
  const copy = "../../src/core/errors.ts?another-copy";
  const other = (await import(copy)) as { FlowerError: typeof FlowerError };
  expect(other.FlowerError).not.toBe(FlowerError);
  const error = new other.FlowerError("offline", "no network");
  expect(error).not.toBeInstanceOf(FlowerError);
  expect(isFlowerError(error)).toBe(true);
  expect(isFlowerError(error, "offline")).toBe(true);
  expect(isFlowerError(error, "auth")).toBe(false);
  expect(toFlowerError(error)).toBe(error);
});

test.each([["text"], [undefined], [null], [7], [new Error("plain")], [{ code: "offline" }]])("%s is not one of our errors", (value) => {
  expect(isFlowerError(value)).toBe(false);
});

test("exactly the transient codes are retryable by themselves, and the maker of an error has the last word", () => {
  const retryable = ERROR_CODES.filter((code) => new FlowerError(code, "").retryable);
  expect(retryable).toEqual(["offline", "overloaded", "rate-limited", "stream-cut", "engine-idle"]);
  expect(new FlowerError("offline", "", { retryable: false }).retryable).toBe(false);
  expect(new FlowerError("unknown", "", { retryable: true }).retryable).toBe(true);
});

test("an error keeps its cause and details; without them there is no cause, and no details", () => {
  const cause = new Error("socket closed");
  expect(new FlowerError("offline", "m", { cause, details: { retryAfterMs: 5 } })).toMatchObject({ cause, details: { retryAfterMs: 5 } });
  const bare = new FlowerError("offline", "m");
  expect("cause" in bare).toBe(false);
  expect(bare.details).toEqual({});
});

test("the brand is seen by nobody who prints, copies or serialises the error", () => {
  const error = new FlowerError("quota", "used up");
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: "FlowerError", code: "quota", retryable: false, details: {} });
  expect(isFlowerError({ ...error })).toBe(false);
});

test.each([
  ["an Error", new Error("boom"), "boom"],
  ["a text", "boom", "boom"],
  ["nothing", undefined, "undefined"],
  ["an object", { a: 1 }, "[object Object]"],
])("%s becomes an unknown error that is not retried and keeps what was thrown as its cause", (_what, thrown, message) => {
  const made = toFlowerError(thrown);
  expect(made).toMatchObject({ code: "unknown", retryable: false, message });
  expect(made.cause).toBe(thrown);
  expect(messageOf(thrown)).toBe(message);
});

test("codes are a closed union without doubles", () => {
  expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  expectTypeOf<ErrorCode>().toEqualTypeOf<(typeof ERROR_CODES)[number]>();
  // @ts-expect-error a code nobody declared
  "no-such-code" satisfies ErrorCode;
});
