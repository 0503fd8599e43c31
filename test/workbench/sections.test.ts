import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inEveryLanguage } from "../../src/i18n/catalogue.ts";
import { tidy } from "../../src/workbench/markdown-lines.ts";
import { escapeContent, parseSections } from "../../src/workbench/sections.ts";
import { runs } from "../random-runs.ts";
import { hostileMarkdown } from "./hostile.ts";

const LABELS = {
  goal: inEveryLanguage("section.goal"),
  criteria: inEveryLanguage("section.criteria"),
  reason: inEveryLanguage("section.reason"),
};
const parse = (text: string) => parseSections(text, LABELS);

describe("a line that is a heading begins a section", () => {
  test.each([
    ["# Goal\nx"],
    ["###### Goal ######\nx"],
    ["## goal\nx"],
    ["## 目标\nx"],
    ["##目标\nx"],
    ["## Objetivo\nx"],
    ["## 1. Goal\nx"],
    ["## 一、目标\nx"],
    ["## Goal (final)\nx"],
    ["## 目标（最终）\nx"],
    ["## **Goal**\nx"],
    ["## Goal:\nx"],
    ["## Goal: x"],
    ["**Goal**\nx"],
    ["**Goal:**\nx"],
    ["**Goal (final)**:\nx"],
    ["__Goal__\nx"],
    ["**Goal:** x"],
    ["**Goal**: x"],
    ["Goal:\nx"],
    ["Goal: x"],
    ["目标：x"],
    ["目标:\r\nx\r\n"],
    ["\uFEFF# Goal\nx"],
  ])("%j", (text) => {
    expect(parse(text)).toEqual({ goal: "x" });
  });
});

describe("what merely begins with a label is content", () => {
  test.each([
    "Goal is what we want.",
    "Goals: many",
    "The goal: x",
    "- Goal: x",
    "- **Goal**",
    "1. Goal: x",
    "* Goal",
    "> Goal: x",
    "    # Goal",
    "\t# Goal",
    "####### Goal",
    "#Reasonable",
    "目标很明确。",
  ])("%j", (line) => {
    expect(parse(`# Criteria\n# Acceptance criteria\n${line}\nend`)).toEqual({ criteria: `${line}\nend` });
  });
});

describe("where a section ends", () => {
  test("a heading nobody knows ends it at the same or a higher level, and is content below that", () => {
    expect(parse("## Goal\na\n### Detail\nb\n## Else\nc")).toEqual({ goal: "a\n### Detail\nb" });
    expect(parse("## Goal\na\n# Else\nc")).toEqual({ goal: "a" });
    expect(parse("**Goal**\na\n**Else**\nc")).toEqual({ goal: "a" });
    expect(parse("## Goal\na\n**Else**\nc")).toEqual({ goal: "a\n**Else**\nc" });
  });

  test("a bold sentence ends nothing", () => {
    expect(parse("**Goal**\na\n**This must hold.**\nc")).toEqual({ goal: "a\n**This must hold.**\nc" });
  });

  test("the last occurrence with content wins", () => {
    expect(parse("# Goal\nfirst\n# Reason\nr\n# Goal\nsecond\n# Goal\n")).toEqual({ goal: "second", reason: "r" });
  });

  test("a section without content is left out", () => {
    expect(parse("# Goal\n\n  \n# Reason\nr")).toEqual({ reason: "r" });
  });
});

describe("fenced code is opaque", () => {
  test("a heading in it is content", () => {
    const code = "```md\n# Reason\n```\nafter";
    expect(parse(`# Goal\n${code}\n# Reason\nr`)).toEqual({ goal: code, reason: "r" });
  });

  test("a shorter or other fence does not close it", () => {
    const code = "````\n```\n~~~\n# Reason\n````";
    expect(parse(`# Goal\n${code}`)).toEqual({ goal: code });
  });

  test("a fence that is not closed runs to the end and loses nothing before it", () => {
    expect(parse("# Reason\nr\n# Goal\na\n```\n# Reason\nx")).toEqual({ reason: "r", goal: "a\n```\n# Reason\nx" });
  });

  test("a fence behind a list marker ends with its item", () => {
    expect(parse("# Goal\n- ``` stay\n# Reason\nr")).toEqual({ goal: "- ``` stay", reason: "r" });
    expect(parse("# Goal\n- ```\n  # Reason\n  ```\n# Reason\nr")).toEqual({ goal: "- ```\n  # Reason\n  ```", reason: "r" });
  });
});

test("escaped content reads back as it was, under a heading of any level and with a section behind it", () => {
  fc.assert(
    fc.property(hostileMarkdown, fc.integer({ min: 1, max: 6 }), (content, level) => {
      const written = `${"#".repeat(level)} Goal\n${escapeContent(content, LABELS, level)}\n\n${"#".repeat(level)} Reason\nr`;
      const expected = tidy(content);
      expect(parse(written)).toEqual({ ...(expected === "" ? {} : { goal: expected }), reason: "r" });
    }),
    runs(1_000),
  );
});

test("ordinary content is written without a backslash", () => {
  const content = "- **Goal**: x\n\n### Detail\n```sh\n# Goal\n```\n> quote\n**bold** text: y";
  expect(escapeContent(content, LABELS, 2)).toBe(content);
});

test("no string makes it throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), hostileMarkdown), (text) => {
      expect(parse(text)).toBeTypeOf("object");
    }),
    runs(1_000),
  );
});

describe("a large text is read and written in linear time", () => {
  const large = 300_000;
  test.each([
    ["one line of hashes", "#".repeat(large)],
    ["spaces", " ".repeat(large)],
    ["stars", "*".repeat(large)],
    ["backslashes", "\\".repeat(large)],
    ["list markers", "- ".repeat(large / 2)],
    ["opening brackets", "# (".repeat(large / 3)],
    ["blank lines", "\n".repeat(large)],
    ["fences that nothing closes", "```a\n".repeat(large / 5)],
    ["fences of two kinds", "```\n~~~\n".repeat(large / 8)],
    ["headings", "# Goal\nx\n".repeat(large / 9)],
    ["half-open bold", "**Goal:\n".repeat(large / 8)],
  ])("%s", (_name, text) => {
    const start = performance.now();
    parse(`# Goal\n${text}`);
    escapeContent(text, LABELS, 1);
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});
