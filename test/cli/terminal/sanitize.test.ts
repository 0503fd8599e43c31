import fc from "fast-check";
import { expect, test } from "vitest";
import { sanitize, sanitizeLine } from "../../../src/cli/terminal/sanitize.ts";
import { runs } from "../../random-runs.ts";
import { hostileText } from "./hostile.ts";

test("nothing that a terminal obeys survives", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(sanitize(text)).not.toMatch(/[\x00-\x08\x0B-\x1F\x7F-\x9F\u2028-\u202E\u2066-\u2069]|\p{Surrogate}/u);
      expect(sanitizeLine(text)).not.toMatch(/[\x00-\x1F\x7F-\x9F]/);
    }),
    runs(2_000),
  );
});

test.each([
  ["colours vanish", "\x1b[31mred\x1b[0m", "red"],
  ["a title vanishes", "\x1b]0;owned\x07text", "text"],
  ["a link leaves its text", "\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\", "here"],
  ["a cleared screen and a moved cursor vanish", "a\x1b[2J\x1b[1;1Hb", "ab"],
  ["an 8-bit sequence vanishes", "a\x9b2Jb", "ab"],
  ["a sequence built by removing another is only shown", "\x1b\x1b[0m[31mx", "␛[31mx"],
  ["a lone escape is shown", "a\x1b", "a␛"],
  ["an override is shown", "user\u202Etxt.exe", "user‹202E›txt.exe"],
  ["a carriage return cannot overwrite", "real\rfake", "real\nfake"],
  ["newlines, tabs, letters and emoji stay", "a\tb\nçé 界 👩‍👩‍👧", "a\tb\nçé 界 👩‍👩‍👧"],
])("%s", (_title, text, clean) => {
  expect(sanitize(text)).toBe(clean);
});
