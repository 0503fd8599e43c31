/** A line that is a heading. */
export interface Heading<K extends string> {
  /** 1–6 for `#`…, {@link BOLD} for a bold line, {@link LABEL} for `label:`. */
  readonly level: number;
  /** The section it begins; undefined for a heading that none of the labels names. */
  readonly key?: K;
  /** What stands behind the label's colon: the first line of the section's content. */
  readonly rest: string;
}

/** Normalised label → section. */
export type LabelIndex<K extends string> = ReadonlyMap<string, K>;

export const BOLD = 7;
const LABEL = 8;

/** No heading is longer; what comes behind this many characters is not looked at. */
const LONGEST_TITLE = 200;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const BOLD_LINE = /^(?:\*\*([^*]+)\*\*|__([^_]+)__)\s*[:：]?$/;

/** Prepares the labels of the sections of one kind of document. */
export function labelIndex<K extends string>(labels: Readonly<Record<K, readonly string[]>>): LabelIndex<K> {
  const index = new Map<string, K>();
  for (const key of Object.keys(labels) as K[]) {
    for (const label of labels[key]) index.set(normalizeLabel(label), key);
  }
  return index;
}

/**
 * Reads a line as a heading, or gives undefined for content. A heading is `#`…, a line that is bold as a whole, or
 * `label:` where a known label fills the text before the colon; sentences and list items never are.
 */
export function readHeading<K extends string>(line: string, labels: LabelIndex<K>): Heading<K> | undefined {
  if (!/^ {0,3}[^ \t]/.test(line)) return undefined;
  const text = line.trim();
  if (text === "" || LIST_ITEM.test(text)) return undefined;
  if (text.startsWith("#")) return readHashes(text, labels);
  return readBold(text, labels) ?? readLabel(text, LABEL, labels);
}

function readHashes<K extends string>(text: string, labels: LabelIndex<K>): Heading<K> | undefined {
  const level = /^#+/.exec(text)?.[0].length ?? 0;
  if (level > 6) return undefined;
  const title = text.slice(level);
  const known = readTitle(title, level, labels) ?? readLabel(title, level, labels);
  if (known) return known;
  return title === "" || /^\s/.test(title) ? { level, rest: "" } : undefined;
}

function readBold<K extends string>(text: string, labels: LabelIndex<K>): Heading<K> | undefined {
  if (text.length > LONGEST_TITLE || !BOLD_LINE.test(text)) return undefined;
  const known = readTitle(text, BOLD, labels);
  if (known) return known;
  const isSentence = /[.!?。！？…][*_]+$/.test(text);
  return isSentence ? undefined : { level: BOLD, rest: "" };
}

function readTitle<K extends string>(title: string, level: number, labels: LabelIndex<K>): Heading<K> | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const key = labels.get(normalizeLabel(title));
  return key === undefined ? undefined : { level, key, rest: "" };
}

function readLabel<K extends string>(text: string, level: number, labels: LabelIndex<K>): Heading<K> | undefined {
  const colon = text.slice(0, LONGEST_TITLE).search(/[:：]/);
  if (colon < 1) return undefined;
  const before = text.slice(0, colon);
  const key = labels.get(normalizeLabel(before));
  if (key === undefined) return undefined;
  const after = text.slice(colon + 1);
  return { level, key, rest: (isHalfBold(before) ? after.replace(/^(?:\*\*|__)/, "") : after).trim() };
}

/** `**Goal` of `**Goal:** text`: the closing half stands behind the colon. */
function isHalfBold(before: string): boolean {
  return /^\s*(?:\*\*|__)/.test(before) && !/(?:\*\*|__)\s*$/.test(before.trimStart().slice(2));
}

/** A label as it is compared: no emphasis, numbering, remark in parentheses, colon, case or width. */
function normalizeLabel(label: string): string {
  return strip(
    strip(label.normalize("NFKC"))
      .replace(/^(?:\d{1,2}[.)、]|[一二三四五六七八九十]{1,3}[、.])\s*/, "")
      .replace(/\s·\s.*$/s, "")
      .replace(/\s*\([^()]*\)$/, ""),
  )
    .replace(/\s+/g, " ")
    .toLowerCase();
}

function strip(text: string): string {
  return text.replace(/^[\s*_`#]+/, "").replace(/[\s*_`#:]+$/, "");
}
