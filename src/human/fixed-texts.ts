import type { TextKey } from "../i18n/catalogue.ts";
import { LANGUAGES, type Language, translator } from "../i18n/catalogue.ts";

type ByLanguage = Readonly<Record<Language, string>>;

/** What the model reads when its quota of questions is used up. */
export const OVER_BUDGET: ByLanguage = byLanguage("human.overBudget");
/** What the model reads when nobody answered in time. */
export const TIMEOUT: ByLanguage = byLanguage("human.timeout");
/** What the model reads when the person chose not to answer. */
export const DECLINED: ByLanguage = byLanguage("human.declined");

function byLanguage(key: TextKey): ByLanguage {
  return Object.fromEntries(LANGUAGES.map((language) => [language, translator(language)(key)])) as Record<Language, string>;
}
