import { expect, test } from "vitest";
import { firstLines, truncate, wrapText } from "../../../src/cli/terminal/wrap.ts";

test.each([
  ["words move as a whole", "one two three", 8, ["one two", "three"]],
  ["a word longer than the line is cut", "abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ["wide characters count twice", "界界界", 4, ["界界", "界"]],
  ["an emoji of several code points is not cut", "👩‍👩‍👧👩‍👩‍👧", 3, ["👩‍👩‍👧", "👩‍👩‍👧"]],
  ["lists hang", "- one two three", 9, ["- one two", "  three"]],
  ["indentation stays", "    if (x) {", 20, ["    if (x) {"]],
  ["empty lines stay", "a\n\nb", 5, ["a", "", "b"]],
  ["a tower of jamo wider than the line is cut", "ᄀ".repeat(5), 4, ["ᄀᄀ", "ᄀᄀ", "ᄀ"]],
])("%s", (_title, text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

test("truncation never exceeds the width and shows the cut", () => {
  expect(truncate("界界界", 4)).toBe("界…");
  expect(truncate("abc", 3)).toBe("abc");
});

test("more lines than wanted are counted, but one is not hidden behind a count", () => {
  expect(firstLines(["a", "b", "c", "d"], 2)).toEqual(["a", "b", "… +2"]);
  expect(firstLines(["a", "b", "c"], 2)).toEqual(["a", "b", "c"]);
});
