import type { StepLabel } from "../messages/label.ts";
import type { commandLineEn } from "./command-line-en.ts";
import { en } from "./en.ts";
import { pt } from "./pt.ts";
import { zh } from "./zh.ts";

/** The languages of everything a person reads. */
export const LANGUAGES = ["en", "zh", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];

export type TextKey = keyof typeof en;
/** One language's texts: every key of English, with the same `{placeholders}`. */
export type Texts = { readonly [K in TextKey]: string };

/** Those of the command line, which stand in a file of their own. */
export type CommandLineTexts = { readonly [K in keyof typeof commandLineEn]: string };

const CATALOGUES: Readonly<Record<Language, Texts>> = { en, zh, pt };

/** Looks a text up and fills its `{placeholders}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** The texts of one language. */
export function translator(language: Language): Translate {
  const texts = CATALOGUES[language];
  return (key, values) => fill(texts[key], values);
}

/** Every language's version of one text, for reading documents that may be in any of them. */
export function inEveryLanguage(key: TextKey): readonly string[] {
  return LANGUAGES.map((language) => CATALOGUES[language][key]);
}

function fill(text: string, values: Readonly<Record<string, string | number>> | undefined): string {
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}

/** `干活#round2`, `work·judge#1`, `trabalho#retry1`: for people and file names, never parsed back. */
export function renderLabel(label: StepLabel, language: Language): string {
  let text = label.step;
  if (label.judge !== undefined) text += `·${CATALOGUES[language]["label.judge"]}#${label.judge}`;
  if (label.round !== undefined && label.round > 1) text += `#round${label.round}`;
  if (label.retry !== undefined && label.retry > 0) text += `#retry${label.retry}`;
  return text;
}

/** The language a locale string names (`pt_BR.UTF-8` → `pt`), or undefined when it is none of ours. */
export function toLanguage(locale: string | undefined): Language | undefined {
  const code = locale?.toLowerCase().split(/[_.\-@]/)[0];
  return LANGUAGES.find((language) => language === code);
}
