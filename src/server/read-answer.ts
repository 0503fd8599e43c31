import { FlowerError } from "../core/errors.ts";
import type { Ask } from "../human/ask.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import { readConsent } from "../workflow/consent.ts";

type Asked = Pick<Ask, "id" | "options" | "purpose">;

/** What a person's words answer to a question; or why they answer nothing, for them to read: the question stays open. */
export type ReadAnswer = { readonly text: string } | { readonly refusal: string };

const SHOWN_CHARS = 60;

/**
 * Reads an answer as it was typed or sent. Options are meant by their words (in any case) and by their number; a permission takes a
 * clear yes or no only; a lone number that names no option is refused where no number makes sense. All else is a free answer.
 */
export function readAnswer(ask: Asked, words: string, t: Translate): ReadAnswer {
  const text = words.trim();
  const number = loneNumber(text);
  const option = ask.options.find((each) => fold(each) === fold(text)) ?? ask.options[(number ?? 0) - 1];
  if (option !== undefined) return { text: option };
  const options = ask.options.map((each, index) => `${index + 1} ${each}`).join(" · ");
  const shown = { id: ask.id, answer: [...text].slice(0, SHOWN_CHARS).join(""), options };
  if (ask.purpose === "permission") {
    return readPermission(ask.options, text) ?? { refusal: t("human.unclearPermission", shown) };
  }
  if (number === undefined || takesNumbers(ask)) return { text };
  return { refusal: t("human.noSuchOption", { ...shown, count: ask.options.length }) };
}

/** Like {@link readAnswer}; throws `bad-input` with the refusal. */
export function answerText(ask: Asked, words: string, language: Language = "en"): string {
  const read = readAnswer(ask, words, translator(language));
  if ("refusal" in read) throw new FlowerError("bad-input", read.refusal);
  return read.text;
}

/** `[yes, no]` are a permission's options. A no with a reason behind it stays as it is: the agent reads it. */
function readPermission([yes, no]: readonly string[], text: string): ReadAnswer | undefined {
  const consent = readConsent(text);
  if (consent === "allow" && yes !== undefined) return { text: yes };
  if (consent === "deny" && no !== undefined) return { text: no };
  const [head = "", ...reason] = text.normalize("NFKC").split(/[,、.。:;!\n]/);
  return reason.length > 0 && readConsent(head) === "deny" ? { text } : undefined;
}

function fold(text: string): string {
  return text.normalize("NFKC").trim().toLowerCase();
}

/** As people pick from a list: `2`, `2.`, `2)`. */
function loneNumber(text: string): number | undefined {
  const digits = /^(\d{1,3})[.)]?$/.exec(text.normalize("NFKC"))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A number may be an answer of its own: without options, for a limit, and where the options are amounts themselves. */
function takesNumbers({ options, purpose }: Asked): boolean {
  return options.length === 0 || purpose === "budget" || options.some((option) => /^\D{0,2}\d/.test(option.normalize("NFKC")));
}
