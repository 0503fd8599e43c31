import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import { markdownLines } from "./markdown-lines.ts";
import { escapeContent, parseSections } from "./sections.ts";

/** What the person wants, as clarified: four sections of Markdown. */
export interface Brief {
  readonly goal: string;
  readonly criteria: string;
  readonly boundaries: string;
  readonly unknowns: string;
}

export type BriefKey = keyof Brief;
export const BRIEF_KEYS = ["goal", "criteria", "boundaries", "unknowns"] as const satisfies readonly BriefKey[];

/** What a text says as a brief. */
export interface ParsedBrief {
  /** The sections that have content. */
  readonly brief: Partial<Brief>;
  /** The sections that have none, in the order of a brief. */
  readonly missing: readonly BriefKey[];
  /** Nothing is missing: `brief` is a whole {@link Brief}. */
  readonly complete: boolean;
  /** What the person said later, verbatim from the first dated heading to the end of the text; "" when nothing. */
  readonly amendments: string;
}

const LEVEL = 2;
const LABELS: Readonly<Record<BriefKey, readonly string[]>> = {
  goal: inEveryLanguage("section.goal"),
  criteria: inEveryLanguage("section.criteria"),
  boundaries: inEveryLanguage("section.boundaries"),
  unknowns: inEveryLanguage("section.unknowns"),
};

/**
 * The brief as a file: four headings with their content, then the amendments as they are. Reading it back gives the same
 * brief, whatever the content, up to blank lines around a section and `\r\n` line ends.
 */
export function briefToMarkdown(brief: Brief, language: Language, amendments = ""): string {
  const t = translator(language);
  const sections = BRIEF_KEYS.map((key) => `## ${t(`section.${key}`)}\n\n${escapeContent(brief[key], LABELS, LEVEL)}\n`);
  return sections.join("\n") + (amendments === "" ? "" : `\n${amendments}`);
}

/** Reads a brief in any language of the catalogue. Never throws; what is not there is named in `missing`. */
export function parseBrief(text: string): ParsedBrief {
  const end = startOfAmendments(text);
  const brief: Partial<Brief> = parseSections(text.slice(0, end), LABELS);
  const missing = BRIEF_KEYS.filter((key) => brief[key] === undefined);
  return { brief, missing, complete: missing.length === 0, amendments: text.slice(end) };
}

/** The heading under which a person's later words stand: `## <words> · <ISO instant>`. */
const AMENDMENT = new RegExp(`^ {0,3}#{1,${LEVEL}}[ \\t]+(?:${inEveryLanguage("section.amendments").join("|")})[ \\t]+·[ \\t]`);

function startOfAmendments(text: string): number {
  return markdownLines(text).find((line) => !line.fenced && AMENDMENT.test(line.text))?.start ?? text.length;
}
