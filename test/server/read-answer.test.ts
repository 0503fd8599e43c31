import { describe, expect, test } from "vitest";
import { LANGUAGES, translator } from "../../src/i18n/catalogue.ts";
import { answerText, readAnswer } from "../../src/server/read-answer.ts";

const t = translator("en");
const colours = { id: "q1", options: ["red", "blue", "Light Green"], purpose: "model" } as const;
const free = { ...colours, options: [] };
const amounts = { ...colours, options: ["3 times", "5 times"] };
const budget = { ...colours, options: ["Raise the limit to $2", "Stop here"], purpose: "budget" } as const;
const permission = { id: "q2", options: ["ALLOW", "REFUSE"], purpose: "permission" } as const;

describe("options", () => {
  test.each([
    ["a number picks", "2", colours, "blue"],
    ["a full-width number too", "２", colours, "blue"],
    ["a number with a dot or a bracket too", "3)", colours, "Light Green"],
    ["its own words pick, in any case", " light green ", colours, "Light Green"],
    ["an option that is a number means itself", "2", { ...colours, options: ["4", "2"] }, "2"],
    ["other words are an answer of their own", "green ", colours, "green"],
    ["a number in a sentence too", "7 colours", colours, "7 colours"],
    ["without options a number is an answer", "7", free, "7"],
    ["where the options are amounts too", "7", amounts, "7"],
    ["for a limit too", "20", budget, "20"],
  ])("%s", (_title, words, ask, text) => {
    expect(readAnswer(ask, words, t)).toEqual({ text });
  });

  test.each(["0", "4", "７", "99."])("the number %s of no option is refused with the range", (words) => {
    const refusal = expect.stringMatching(/options 1 to 3.*1 red · 2 blue · 3 Light Green/);
    expect(readAnswer(colours, words, t)).toEqual({ refusal });
    expect(() => answerText(colours, words)).toThrow(expect.objectContaining({ code: "bad-input" }));
  });
});

describe("a permission", () => {
  test.each(["1", "yes", "Y", "YES.", "allow", "sim", "Sim!", "是", "可以", "ALLOW"])("%s allows", (words) => {
    expect(readAnswer(permission, words, t)).toEqual({ text: "ALLOW" });
  });

  test.each(["2", "no", "N", "No.", "não", "不", "refuse"])("%s refuses", (words) => {
    expect(readAnswer(permission, words, t)).toEqual({ text: "REFUSE" });
  });

  test.each(LANGUAGES)("its options in %s are understood whatever language it was asked in", (language) => {
    const own = translator(language);
    expect(readAnswer(permission, own("permission.allow").toUpperCase(), t)).toEqual({ text: "ALLOW" });
    expect(readAnswer(permission, own("permission.deny"), t)).toEqual({ text: "REFUSE" });
  });

  test.each(["no, use the bin", "não: é perigoso", "不,太危险", "No.\nUse the bin"])("%s refuses with its words", (words) => {
    expect(readAnswer(permission, words, t)).toEqual({ text: words });
  });

  test.each(["3", "maybe", "yes, but only there", "no problem", "what is that?", "y n"])("%s is neither, and is not taken", (words) => {
    expect(readAnswer(permission, words, t)).toEqual({ refusal: expect.stringContaining("1 ALLOW · 2 REFUSE") });
  });
});
