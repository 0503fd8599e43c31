import { InvalidArgumentError, Option } from "commander";
import { LANGUAGES, toLanguage } from "../i18n/catalogue.ts";

/** `--lang`, the same for every command. */
export function languageOption(): Option {
  return new Option("--lang <language>", `${LANGUAGES.join(", ")}; default from FLOWER_LANG, then LANG`).argParser(parseLanguage);
}

function parseLanguage(text: string): string {
  if (toLanguage(text) === undefined) throw new InvalidArgumentError(`Known: ${LANGUAGES.join(", ")}.`);
  return text;
}
