import { appendToFile, readText, replaceFile, withFileLock } from "../core/files.ts";
import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import { oneLine, quote, unquote } from "./quote.ts";

/** What a person added to a document while the run went on. */
export interface Amendment {
  /** ISO instant. */
  readonly at: string;
  /** What it came with, e.g. a mail's id; "" when nothing. */
  readonly label: string;
  /** The person's words; line ends are `\n`. */
  readonly text: string;
}

export interface SplitDocument {
  /** The document without its amendments. */
  readonly document: string;
  /** Oldest first, as they stand. */
  readonly amendments: readonly Amendment[];
}

const HEADINGS = inEveryLanguage("section.amendments").join("|");
const HEADING = new RegExp(`^## (?:${HEADINGS}) · (\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)(?: · (.*))?$`);

/** A dated heading with the words quoted under it: whatever they are, they cannot break the sections of the document. */
function renderAmendment(amendment: Amendment, language: Language): string {
  const label = oneLine(amendment.label);
  const heading = `## ${translator(language)("section.amendments")} · ${amendment.at}${label === "" ? "" : ` · ${label}`}`;
  return `${heading}\n\n${quote(amendment.text)}\n`;
}

/** Tells a document from what people added to it, in any language. Nothing is dropped: each line is in one or the other. */
export function splitAmendments(text: string): SplitDocument {
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  const amendments: Amendment[] = [];
  for (let index = 0; index < lines.length; ) {
    const heading = HEADING.exec(lines[index] as string);
    if (!heading) {
      kept.push(lines[index++] as string);
      continue;
    }
    const start = lines[index + 1] === "" ? index + 2 : index + 1;
    index = endOfQuote(lines, start);
    const words = lines.slice(start, index).map(unquote).join("\n");
    amendments.push({ at: heading[1] as string, label: heading[2] ?? "", text: words });
  }
  if (amendments.length === 0) return { document: text, amendments };
  const document = kept.join("\n").trimEnd();
  return { document: document === "" ? "" : `${document}\n`, amendments };
}

function endOfQuote(lines: readonly string[], start: number): number {
  let end = start;
  while (lines[end]?.startsWith(">")) end++;
  return end;
}

/** The document with the amendments after it: the inverse of {@link splitAmendments}. */
export function joinAmendments(split: SplitDocument, language: Language): string {
  if (split.amendments.length === 0) return split.document;
  const parts = split.amendments.map((amendment) => renderAmendment(amendment, language));
  const document = split.document.trimEnd();
  return (document === "" ? parts : [`${document}\n`, ...parts]).join("\n");
}

/** Appends to the document, which need not exist yet. What stands there already (a kill kept its writer from noting it) is not added twice. */
export async function appendAmendment(path: string, amendment: Amendment, language: Language): Promise<void> {
  const label = oneLine(amendment.label);
  await withFileLock(path, async () => {
    const { amendments } = splitAmendments((await readText(path)) ?? "");
    if (label !== "" && amendments.some((known) => known.at === amendment.at && known.label === label)) return;
    await appendToFile(path, `\n${renderAmendment(amendment, language)}`);
  });
}

/**
 * Replaces the document as a whole and keeps every amendment that stands in the old one, also one that arrives at the same
 * moment. Amendments in `document` itself are kept too, none twice.
 */
export async function replaceKeepingAmendments(path: string, document: string, language: Language): Promise<void> {
  await withFileLock(path, async () => {
    const old = splitAmendments((await readText(path)) ?? "").amendments;
    const fresh = splitAmendments(document);
    const known = new Set(old.map((amendment) => JSON.stringify(amendment)));
    const added = fresh.amendments.filter((amendment) => !known.has(JSON.stringify(amendment)));
    await replaceFile(path, joinAmendments({ document: fresh.document, amendments: [...old, ...added] }, language));
  });
}
