import { inEveryLanguage } from "../i18n/catalogue.ts";
import type { VerdictState } from "../messages/event.ts";
import { markdownLines } from "../workbench/markdown-lines.ts";
import { listSections } from "../workbench/sections.ts";
import { ACHIEVED_WORDS, NEGATION_BEFORE, NOT_YET, PLAIN_CHINESE, PLAIN_WORDS, UNREACHABLE } from "./verdict-words.ts";

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
 * whole text when there is no section. `1`/`true` and `0`/`false` count when they are all that it says, and so does "achieved": it
 * has to be said plainly, with nothing beside it. Negations win over what they negate. A contradiction is no verdict, be it within
 * a conclusion, between two, or with the reason. Code and quotes do not speak. Never throws.
 */
export function parseVerdictText(text: string): VerdictText {
  const sections = listSections(text, LABELS);
  const conclusions = sections.flatMap(({ key, content }) => (key === "conclusion" ? [content] : []));
  const reason = sections.findLast(({ key }) => key === "reason")?.content;
  const said = sections.length === 0 ? [text] : conclusions;
  return { state: agreed(said, reason), reason: reason ?? (sections.length === 0 ? text.trim() : "") };
}

/** What several conclusions say, when they say the same; "achieved" not with a reason that says the contrary. */
function agreed(conclusions: readonly string[], reason = ""): VerdictState {
  const states = new Set(conclusions.map((conclusion) => stateOf(spoken(conclusion))));
  const [state = ""] = states;
  if (states.size > 1) return "";
  return state === "achieved" && ["not_yet", "unreachable"].includes(stateOf(spoken(reason))) ? "" : state;
}

/** Without emphasis and bullets; where fenced code, quotes or indented code stand there is only that something stands there. */
function spoken(text: string): string {
  return markdownLines(text)
    .map(({ text: line, fenced }) => (fenced || /^\s*>|^(?: {4}|\t)\s*\S/.test(line) ? "…" : line))
    .map((line) => line.replace(/^\s*[-*+]\s+/, "").replace(/^#+\s*/, ""))
    .join("\n")
    .replace(/`[^`\n]*`/g, "…") // a quoted word is nobody's statement
    .replace(/[*_]{1,3}/g, "")
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0)) // ：１ as : 1, but neither ① nor ¹
    .normalize("NFC")
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

/** Every sentence says it plainly, and there is nothing else. */
function isAchieved(conclusion: string): boolean {
  const sentences = conclusion.split(/[.!。！\n]/).filter((sentence) => sentence.trim() !== "");
  return sentences.length > 0 && sentences.every((sentence) => isPlainlyAchieved(withoutLabel(sentence)));
}

/** Beside what says the contrary, there is a plain "achieved" as well. */
function alsoSaysAchieved(conclusion: string): boolean {
  const rest = conclusion.replace(new RegExp(`${NOT_YET.source}|${UNREACHABLE.source}`, "giu"), " ¬ ");
  return rest.split(/[.!。！;；:：,，、/\n]|\s(?:or|ou)\s|或/u).some(isPlainlyAchieved);
}

/** "Verdict: achieved" without its label. */
function withoutLabel(sentence: string): string {
  const [, label = "", rest = ""] = /^([\p{L}\s]*):(.*)$/su.exec(sentence) ?? [];
  const found = tokens(label);
  const isLabel = found.length > 0 && found.length <= 3 && found.every((word) => PLAIN_WORDS.has(word) && !ACHIEVED_WORDS.has(word));
  return isLabel ? rest : sentence;
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
