import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Page {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Every page a reader can come to: those at the top and those of docs/. */
export function readPages(): readonly Page[] {
  return [...markdownIn(""), ...markdownIn("docs")];
}

function markdownIn(folder: string): readonly Page[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    return { path, text: readFileSync(join(ROOT, path), "utf8") };
  });
}

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** What stands behind the opening fence. */
  readonly language: string;
  readonly code: string;
  /** Lines that the block takes as given: what stands in a comment `<!-- given … -->` right before it. Readers do not see them. */
  readonly given: string;
}

const FENCE = /^(`{3,})(\w*)$/;
const GIVEN = /<!-- given\s((?:(?!-->)[\s\S])*)-->\s*$/;

/** The fenced blocks of a page, in order. Throws for a fence that is never closed. */
export function blocksOf({ path, text }: Page): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, fence, language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.indexOf(fence, at + 1);
    if (end < 0) throw new Error(`${path}:${at + 1}: this block is never closed.`);
    const given = GIVEN.exec(lines.slice(0, at).join("\n"))?.[1]?.trim() ?? "";
    blocks.push({ page: path, line: at + 1, language, code: lines.slice(at + 1, end).join("\n"), given });
    at = end;
  }
  return blocks;
}

/** A page without its fenced blocks and code spans, line by line: what is prose. */
export function proseOf(page: Page): string {
  const lines = page.text.split("\n");
  for (const block of blocksOf(page)) {
    for (let at = block.line - 1; at <= block.line + block.code.split("\n").length; at++) lines[at] = "";
  }
  return lines.join("\n").replace(/`[^`\n]*`/g, "``");
}
