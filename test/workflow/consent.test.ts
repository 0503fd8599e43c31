import { expect, test } from "vitest";
import { LANGUAGES, translator } from "../../src/i18n/catalogue.ts";
import { readConsent } from "../../src/workflow/consent.ts";

const options = (key: "permission.allow" | "permission.deny") => LANGUAGES.map((language) => translator(language)(key));

test.each([
  "yes",
  "Yes.",
  " y ",
  "YES!",
  "ok",
  "allow",
  "sim",
  "Sim, ",
  "s",
  "pode",
  "是",
  "是的。",
  "可以",
  "允许",
  ...options("permission.allow"),
])("%j is consent", (answer) => expect(readConsent(answer.replace(/,\s*$/, ""))).toBe("allow"));

test.each(["no", "No.", "n", "não", "nao", "不", "不可以", "否", ...options("permission.deny")])("%j is a refusal", (answer) => {
  expect(readConsent(answer)).toBe("deny");
});

test.each([
  "",
  "yes, but only in src",
  "yes and no",
  "not yet",
  "if you must",
  "maybe",
  "sim, mas só em src",
  "不是很确定",
  "可以但是先备份",
  "yesterday",
  "okay?",
  "1",
])("%j is no consent, and goes to the agent as it is", (answer) => expect(readConsent(answer)).toBeUndefined());
