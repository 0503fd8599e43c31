import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inEveryLanguage, LANGUAGES } from "../../src/i18n/catalogue.ts";
import { BRIEF_KEYS, type Brief, briefToMarkdown, parseBrief } from "../../src/workbench/brief.ts";
import { tidy } from "../../src/workbench/markdown-lines.ts";
import { runs } from "../random-runs.ts";
import { hostileMarkdown } from "./hostile.ts";

const BRIEF: Brief = { goal: "g", criteria: "- c1\n- c2", boundaries: "b", unknowns: "u" };
const AMENDMENTS = "## Said during the run · 2026-07-31T10:00:00.000Z · m1\n\n> # Goal\n> ```\n> no more\n";

test("a brief reads back as it was, whatever its content, in every language, amendments untouched", () => {
  fc.assert(
    fc.property(
      fc.record({ goal: hostileMarkdown, criteria: hostileMarkdown, boundaries: hostileMarkdown, unknowns: hostileMarkdown }),
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom("", AMENDMENTS),
      (brief, language, amendments) => {
        const parsed = parseBrief(briefToMarkdown(brief, language, amendments));
        const expected = BRIEF_KEYS.map((key) => [key, tidy(brief[key])] as const).filter(([, content]) => content !== "");
        expect(parsed.brief).toEqual(Object.fromEntries(expected));
        expect(parsed.amendments).toBe(amendments);
        expect(parsed.complete).toBe(expected.length === 4);
      },
    ),
    runs(500),
  );
});

test("what is missing is named in the order of a brief", () => {
  expect(parseBrief("## Boundaries\nb\n## Goal\n")).toEqual({
    brief: { boundaries: "b" },
    missing: ["goal", "criteria", "unknowns"],
    complete: false,
    amendments: "",
  });
});

test("a brief in mixed languages and heading styles is understood", () => {
  const text =
    "# 需求\n\n**目标：** g\n\nCritérios de aceitação:\n- c1\n- c2\n\n## Boundaries (hard)\nb\n\n## 4. Unknowns and assumptions\nu";
  expect(parseBrief(text)).toMatchObject({ brief: BRIEF, complete: true });
});

describe("what the person said later", () => {
  test.each(inEveryLanguage("section.amendments").map((words) => `## ${words}`))("%s: is kept verbatim and is in no section", (heading) => {
    const amendments = `${heading} · 2026-07-31T10:00:00.000Z\n\n> hurry\r\n\n## Goal\nnot this one`;
    const parsed = parseBrief(`${briefToMarkdown(BRIEF, "en")}\n${amendments}`);
    expect(parsed).toEqual({ brief: BRIEF, missing: [], complete: true, amendments });
  });

  test("is kept when it was all there is", () => {
    expect(parseBrief(AMENDMENTS)).toMatchObject({ brief: {}, amendments: AMENDMENTS });
  });
});

test("no string makes it throw", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => parseBrief(text).missing.length >= 0));
});
