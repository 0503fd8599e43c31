import { expect, test } from "vitest";
import { LANGUAGES, renderLabel, type TextKey, toLanguage, translator } from "../../src/i18n/catalogue.ts";
import { en } from "../../src/i18n/en.ts";
import { pt } from "../../src/i18n/pt.ts";
import { zh } from "../../src/i18n/zh.ts";

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

test.each([
  ["zh", zh],
  ["pt", pt],
] as const)("%s has English's keys and placeholders, and no empty text", (_language, texts) => {
  expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as TextKey[]) {
    expect(placeholders(texts[key]), key).toEqual(placeholders(en[key]));
    expect(texts[key], key).not.toBe("");
  }
});

test("labels are rendered by language", () => {
  expect(renderLabel({ step: "干活", round: 2 }, "zh")).toBe("干活#round2");
  expect(renderLabel({ step: "干活", judge: 1 }, "zh")).toBe("干活·判定#1");
  expect(renderLabel({ step: "work", judge: 1 }, "en")).toBe("work·judge#1");
  expect(renderLabel({ step: "trabalho", judge: 1 }, "pt")).toBe("trabalho·juiz#1");
  expect(renderLabel({ step: "trabalho", retry: 1 }, "pt")).toBe("trabalho#retry1");
});

test("the timeout text in Chinese is the founding document's, word for word", () => {
  expect(translator("zh")("human.timeout")).toBe(
    "无人应答。按你自己的判断继续,并把这个问题和你采用的假设写进「未知与假设」那一段。不要重复提问,也不要停在这里。",
  );
});

test("a locale names a language or none", () => {
  expect(toLanguage("pt_BR.UTF-8")).toBe("pt");
  expect(toLanguage("zh-CN")).toBe("zh");
  expect(toLanguage("C.UTF-8")).toBeUndefined();
  expect(LANGUAGES).toContain("en");
});
