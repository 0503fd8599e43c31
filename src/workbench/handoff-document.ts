import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import { escapeContent, parseSections } from "./sections.ts";

/** What a session whose context is full leaves to the one that takes over: five sections of Markdown, readable and editable by a person. */
export interface HandoffDocument {
  /** What is being worked on, and how far it is. */
  readonly doing: string;
  /** What was decided, and why. */
  readonly decided: string;
  /** What was tried and does not work. */
  readonly deadEnds: string;
  /** What comes next, in order. */
  readonly next: string;
  /** Where things are: paths, not contents. */
  readonly scene: string;
}

export type HandoffKey = keyof HandoffDocument;
export const HANDOFF_KEYS = ["doing", "decided", "deadEnds", "next", "scene"] as const satisfies readonly HandoffKey[];

/** Without these nobody could take over. */
const REQUIRED_HANDOFF_KEYS = ["doing", "next"] as const satisfies readonly HandoffKey[];

const LEVEL = 2;
const LABELS: Readonly<Record<HandoffKey, readonly string[]>> = {
  doing: inEveryLanguage("section.doing"),
  decided: inEveryLanguage("section.decided"),
  deadEnds: inEveryLanguage("section.deadEnds"),
  next: inEveryLanguage("section.next"),
  scene: inEveryLanguage("section.scene"),
};

/** The document as a file. Sections without content are left out; reading it back gives the same document. */
export function handoffToMarkdown(document: Partial<HandoffDocument>, language: Language): string {
  const t = translator(language);
  return HANDOFF_KEYS.flatMap((key) => {
    const content = escapeContent(document[key] ?? "", LABELS, LEVEL);
    return content === "" ? [] : [`## ${t(`section.${key}`)}\n\n${content}\n`];
  }).join("\n");
}

/** The sections that a text has, in any language of the catalogue, and the required ones that it has not. Never throws. */
export function parseHandoff(text: string): { readonly document: Partial<HandoffDocument>; readonly missing: readonly HandoffKey[] } {
  const document: Partial<HandoffDocument> = parseSections(text, LABELS);
  return { document, missing: REQUIRED_HANDOFF_KEYS.filter((key) => document[key] === undefined) };
}

/** The titles of the sections that a document has, in its order. */
export function handoffTitles(document: Partial<HandoffDocument>, language: Language): readonly string[] {
  const t = translator(language);
  return HANDOFF_KEYS.filter((key) => (document[key]?.trim() ?? "") !== "").map((key) => t(`section.${key}`));
}
