import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/i18n/catalogue.ts";
import { HANDOFF_KEYS, handoffTitles, handoffToMarkdown, parseHandoff } from "../../src/workbench/handoff-document.ts";
import { tidy } from "../../src/workbench/markdown-lines.ts";
import { runs } from "../random-runs.ts";
import { hostileMarkdown } from "./hostile.ts";

const content = hostileMarkdown;

describe("a handoff document", () => {
  it("reads back as it was, whatever its content, in every language", () => {
    fc.assert(
      fc.property(
        fc.record({ doing: content, decided: content, deadEnds: content, next: content, scene: content }),
        fc.constantFrom(...LANGUAGES),
        (document, language) => {
          const expected = HANDOFF_KEYS.map((key) => [key, tidy(document[key])] as const).filter(([, text]) => text !== "");
          expect(parseHandoff(handoffToMarkdown(document, language)).document).toEqual(Object.fromEntries(expected));
        },
      ),
      runs(500),
    );
  });

  it("written in one language is read in every other", () => {
    const document = { doing: "the parser", next: "its tests" };
    for (const language of LANGUAGES) expect(parseHandoff(handoffToMarkdown(document, language))).toEqual({ document, missing: [] });
  });

  it("says which of the sections are missing that nobody could take over without", () => {
    expect(parseHandoff("## Decided\n\nno classes\n").missing).toEqual(["doing", "next"]);
    expect(parseHandoff("").missing).toEqual(["doing", "next"]);
  });

  it("names the sections that it has, in its language", () => {
    expect(handoffTitles({ next: "b", doing: "a", decided: "  " }, "zh")).toEqual(["在做什么", "下一步"]);
  });
});
