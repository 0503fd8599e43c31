import { BOLD, type Heading, type LabelIndex, labelIndex, readHeading } from "./headings.ts";
import { markdownLines, opensFence, tidy, withoutReturns } from "./markdown-lines.ts";

/**
 * The one Markdown section parser: for brief, goal, verdict and handoff document.
 *
 * 1. A heading is a line that *is* one (see {@link readHeading}); a heading with a known label always begins its section.
 * 2. A heading nobody knows ends a section of its own level or below; a deeper one is content.
 * 3. Fenced code is opaque; a fence that nothing closes runs to the end of the text.
 * 4. The last occurrence of a section that has content wins. Sections without content are left out.
 * 5. What {@link escapeContent} wrote is read back as it was.
 * 6. Any string is accepted, in linear time.
 */
export function parseSections<K extends string>(text: string, labels: Readonly<Record<K, readonly string[]>>): Partial<Record<K, string>> {
  const sections: Partial<Record<K, string>> = {};
  for (const { key, content } of listSections(text, labels)) sections[key] = content;
  return sections;
}

/** One occurrence of a section. */
export interface Section<K extends string> {
  readonly key: K;
  readonly content: string;
}

/** Every section that has content, in the text's order, by the rules of {@link parseSections} but the fourth. */
export function listSections<K extends string>(text: string, labels: Readonly<Record<K, readonly string[]>>): readonly Section<K>[] {
  const index = labelIndex(labels);
  const sections: Section<K>[] = [];
  let open: { readonly key: K; readonly level: number; readonly lines: string[] } | undefined;
  const close = () => {
    const content = open ? tidy(open.lines.join("\n")) : "";
    if (open && content !== "") sections.push({ key: open.key, content });
    open = undefined;
  };
  for (const line of markdownLines(withoutReturns(text.replace(/^\uFEFF/, "")))) {
    const heading = line.fenced ? undefined : readHeading(line.text, index);
    if (heading && endsSection(heading, open?.level)) {
      close();
      if (heading.key !== undefined) open = { key: heading.key, level: heading.level, lines: [heading.rest] };
    } else {
      open?.lines.push(line.fenced ? line.text : unescapeLine(line.text, index));
    }
  }
  close();
  return sections;
}

/**
 * Content as it is written under a heading of `level`: a line that would read as a heading, or open a fence that is
 * never closed, gets a backslash in front, as Markdown has it. {@link parseSections} with the same labels takes it off.
 */
export function escapeContent<K extends string>(content: string, labels: Readonly<Record<K, readonly string[]>>, level: number): string {
  const index = labelIndex(labels);
  return markdownLines(tidy(content), "text")
    .map((line) => (line.fenced ? line.text : escapeLine(line.text, index, level)))
    .join("\n");
}

function endsSection<K extends string>(heading: Heading<K>, level: number | undefined): boolean {
  if (heading.key !== undefined || level === undefined) return true;
  return heading.level === BOLD ? level === BOLD : heading.level <= level;
}

function escapeLine<K extends string>(line: string, index: LabelIndex<K>, level: number): string {
  const { indent, slashes, rest } = splitSlashes(line);
  const plain = indent + rest;
  const heading = readHeading(plain, index);
  const isMeant = slashes === "" ? heading !== undefined && endsSection(heading, level) : heading !== undefined;
  return isMeant || opensFence(plain) ? `${indent}\\${slashes}${rest}` : line;
}

function unescapeLine<K extends string>(line: string, index: LabelIndex<K>): string {
  const { indent, slashes, rest } = splitSlashes(line);
  if (slashes === "") return line;
  const plain = indent + rest;
  return readHeading(plain, index) || opensFence(plain) ? `${indent}${slashes.slice(1)}${rest}` : line;
}

/** A line in three: its indentation, the backslashes behind it, the rest. */
export function splitSlashes(line: string): { readonly indent: string; readonly slashes: string; readonly rest: string } {
  const [, indent = "", slashes = ""] = /^([ \t]*)(\\*)/.exec(line) ?? [];
  return { indent, slashes, rest: line.slice(indent.length + slashes.length) };
}
