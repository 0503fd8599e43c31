import { readYesNo } from "../core/yes-no.ts";
import { LANGUAGES, translator } from "../i18n/catalogue.ts";

/**
 * What an answer to a permission question means: an option's own words or a plain yes or no, in any language; undefined for any
 * others, which are no consent.
 */
export function readConsent(answer: string): "allow" | "deny" | undefined {
  const said = answer.trim().toLowerCase();
  const isOption = (key: "permission.allow" | "permission.deny") =>
    LANGUAGES.some((language) => translator(language)(key).toLowerCase() === said);
  const yes = isOption("permission.allow") || (isOption("permission.deny") ? false : readYesNo(answer));
  return yes === undefined ? undefined : yes ? "allow" : "deny";
}
