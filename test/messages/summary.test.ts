import fc from "fast-check";
import { expect, test } from "vitest";
import { clip, summarizeCall, summarizeResult } from "../../src/messages/event.ts";

const long = "x".repeat(300);

test.each([
  ["the file before everything", { command: "ls", file_path: "a.md", pattern: "*" }, "a.md"],
  ["the command before the pattern", { pattern: "*", command: "ls" }, "ls"],
  ["the pattern before other arguments", { path: "src", pattern: "*.ts" }, "*.ts"],
  ["an empty file path is none", { file_path: "", command: "ls" }, "ls"],
  ["a file path that is no text is none", { file_path: 7, query: "cats" }, "cats"],
  ["else the first short text", { count: 3, text: long, question: "why?" }, "why?"],
  ["a long command is cut", { command: long }, "x".repeat(200)],
  ["nothing when there is no text", { count: 3, deep: { a: "b" } }, ""],
  ["nothing for a list", ["a"], ""],
  ["nothing for a text", "a", ""],
  ["nothing for null", null, ""],
])("a call in one line: %s", (_what, args, line) => {
  expect(summarizeCall(args)).toBe(line);
});

test("a summary has at most 200 characters, whatever the arguments", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (args) => {
      expect(summarizeCall(args as never).length).toBeLessThanOrEqual(200);
    }),
  );
});

test("a result in short is its first 500 characters", () => {
  expect(summarizeResult("y".repeat(600))).toBe("y".repeat(500));
  expect(summarizeResult("short")).toBe("short");
});

test("cutting keeps a beginning that is well-formed Unicode and at most one character shorter than allowed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (text, max) => {
      const cut = clip(text, max);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1));
      expect(/[\uD800-\uDBFF]$/.test(cut)).toBe(false);
    }),
  );
});
