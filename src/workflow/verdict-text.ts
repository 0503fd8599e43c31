import { inEveryLanguage } from "../i18n/catalogue.ts";
import type { VerdictState } from "../messages/event.ts";
import { markdownLines } from "../workbench/markdown-lines.ts";
import { parseSections } from "../workbench/sections.ts";
import { ACHIEVED_WORDS, DOUBT, NEGATION_BEFORE, NOT_YET, PLAIN_CHINESE, PLAIN_WORDS, UNREACHABLE } from "./verdict-words.ts";

const LABELS = {
  conclusion: [...inEveryLanguage("section.conclusion"), "判定", "Verdict", "Judgement", "Judgment", "Veredito", "Veredicto"],
  reason: [...inEveryLanguage("section.reason"), "原因", "Reasons", "Razão", "Justificativa"],
};

/** What a judge's text says. */
export interface VerdictText {
  /** "" when it says nothing, or two things. */
  readonly state: VerdictState;
  readonly reason: string;
}

/**
 * Reads a verdict from prose, for models that answer in words where a tool call was asked for: the section "Conclusion", or the
 * whole text when there is no section. `1`/`true` and `0`/`false` count when they are all that it says. "Achieved" has to be said
 * plainly, in a sentence of its own, with nothing beside it that takes it back; negations win over what they negate; a
 * contradiction is no verdict. Code and quotes do not speak. Never throws.
 */
export function parseVerdictText(text: string): VerdictText {
  const sections = parseSections(text, LABELS);
  const hasSections = sections.conclusion !== undefined || sections.reason !== undefined;
  const conclusion = spoken(hasSections ? (sections.conclusion ?? "") : text);
  return { state: stateOf(conclusion), reason: sections.reason ?? (hasSections ? "" : text.trim()) };
}

/** Without fenced code, quotes, emphasis, list marks. */
function spoken(text: string): string {
  return markdownLines(text)
    .filter((line) => !line.fenced && !/^\s*(?:>|```|~~~)/.test(line.text))
    .map((line) => line.text.replace(/^\s*(?:[-*+]|\d{1,2}[.)])\s+/, "").replace(/^#+\s*/, ""))
    .join("\n")
    .replace(/`[^`\n]*`/g, "…") // a quoted word is nobody's statement
    .replace(/[*_~]{1,3}/g, "")
    .normalize("NFKC")
    .trim();
}

function stateOf(conclusion: string): VerdictState {
  const bare = conclusion.replace(/[\s.!。！✅✔☑]+$/u, "").replace(/^[\s✅✔☑]+/u, "");
  if (/^(?:1|true|真)$/i.test(bare)) return "achieved";
  if (/^(?:0|false|假)$/i.test(bare)) return "not_yet";
  const unreachable = says(conclusion, UNREACHABLE);
  const notYet = says(conclusion, NOT_YET);
  if (isAchieved(conclusion)) return unreachable || notYet ? "" : "achieved";
  if (unreachable === notYet || alsoSaysAchieved(conclusion)) return "";
  return unreachable ? "unreachable" : "not_yet";
}

function says(text: string, pattern: RegExp): boolean {
  for (const match of text.matchAll(new RegExp(pattern, "giu"))) {
    if (!NEGATION_BEFORE.test(text.slice(0, match.index))) return true;
  }
  return false;
}

/** The first sentence says it plainly, and nothing behind it raises a doubt. */
function isAchieved(conclusion: string): boolean {
  const [first = "", ...rest] = conclusion
    .split(/(?<=[.!。！\n])|(?<=\S)\s+[—–-]\s+|[:：](?=\s|[^\s\w])|\n/u)
    .filter((part) => part.trim() !== "");
  const label = isLabel(first) ? [first, rest.shift() ?? ""] : [first];
  return isPlainlyAchieved(label.join(" ")) && !DOUBT.test(label.join(" ")) && !DOUBT.test(rest.join("\n"));
}

/** Beside what says the contrary, there is a plain "achieved" as well. */
function alsoSaysAchieved(conclusion: string): boolean {
  const rest = conclusion.replace(new RegExp(`${NOT_YET.source}|${UNREACHABLE.source}`, "giu"), " ¬ ");
  return rest.split(/[.!。！;；:：,，、/\n]|\s(?:or|ou)\s|或/u).some(isPlainlyAchieved);
}

/** `Verdict` of "Verdict: achieved". */
function isLabel(part: string): boolean {
  const found = tokens(part);
  return found.length > 0 && found.length <= 3 && found.every((word) => PLAIN_WORDS.has(word) && !ACHIEVED_WORDS.has(word));
}

function isPlainlyAchieved(sentence: string): boolean {
  const compact = sentence.replace(/[\s.!。！,，✅✔☑🎉]/gu, "");
  if (PLAIN_CHINESE.test(compact)) return true;
  if (/[^\p{L}\s.!'✅✔☑🎉]/u.test(sentence)) return false; // digits, commas, parentheses: there is more to it
  const found = tokens(sentence);
  return found.some((word) => ACHIEVED_WORDS.has(word)) && found.every((word) => PLAIN_WORDS.has(word));
}

function tokens(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
}
