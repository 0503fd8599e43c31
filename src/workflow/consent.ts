import { LANGUAGES, translator } from "../i18n/catalogue.ts";

const YES = new Set("yes y ok okay allow sim s permito permitir permite pode 是 是的 好 好的 可以 允许 同意 行".split(" "));
const NO = new Set("no n deny não nao negar 否 不 不行 不可以 不允许 不同意".split(" "));

/**
 * What an answer to a permission question means: an option's own words or a plain yes or no, in any language; undefined for any
 * others, which are no consent.
 */
export function readConsent(answer: string): "allow" | "deny" | undefined {
  const said = answer
    .normalize("NFC")
    .toLowerCase()
    .replace(/^[\s"'“”]+|[\s"'“”.!。！]+$/g, "");
  const isOption = (key: "permission.allow" | "permission.deny") =>
    LANGUAGES.some((language) => translator(language)(key).toLowerCase() === said);
  if (YES.has(said) || isOption("permission.allow")) return "allow";
  return NO.has(said) || isOption("permission.deny") ? "deny" : undefined;
}
