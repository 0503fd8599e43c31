import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { type Page, proseOf, ROOT, readPages } from "./pages.ts";

const LINK = /\]\(([^()\s]+)\)/g;

/** Links of a page into the repository that lead nowhere: to no file, or to no heading of it. */
function brokenLinks(page: Page): readonly string[] {
  const links = [...proseOf(page).matchAll(LINK)].map((match) => match[1] ?? "");
  return links.filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(link, page)).map((link) => `${page.path}: ${link}`);
}

function leadsSomewhere(link: string, from: Page): boolean {
  const [file = "", heading] = link.split("#");
  if (file === "") return anchorsOf(from).includes(heading ?? "");
  const path = normalize(join(dirname(from.path), file));
  if (path.startsWith("..") || !existsSync(join(ROOT, path))) return false;
  const target = readPages().find((page) => page.path === path);
  return heading === undefined || (target !== undefined && anchorsOf(target).includes(heading));
}

/** As GitHub makes them: lower case, punctuation dropped, spaces as hyphens. */
function anchorsOf(page: Page): readonly string[] {
  const headings = page.text.split("\n").filter((line) => /^#{1,6} /.test(line));
  return headings.map((line) =>
    line
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** What belongs to one machine, to one registry, or to how the text was made. */
const FOREIGN: readonly RegExp[] = [
  /\/(?:home|root|Users|work|mnt|tmp)\//,
  /\bregistry\.|npmmirror|artifactory/i,
  /\bissue #|(?<!\w)#\d{2,}\b/i,
  /\b(?:our|coding|work(?:ing)?) sessions?\b/i,
  /\bseeds?\b|\bthe spec\b/i,
];

function foreignWords({ path, text }: Page): readonly string[] {
  return text.split("\n").flatMap((line, index) => (FOREIGN.some((words) => words.test(line)) ? [`${path}:${index + 1}: ${line}`] : []));
}

describe("the pages", () => {
  it("link only to files and headings that are there", () => {
    expect(readPages().flatMap(brokenLinks)).toEqual([]);
  });

  it("are all reached from docs/index.md, those for users", () => {
    const index = readPages().find((page) => page.path === "docs/index.md");
    const linked = [...(index?.text.matchAll(LINK) ?? [])].map((match) => `docs/${match[1]}`);
    const pages = readPages().map((page) => page.path);
    expect(pages.filter((path) => path.startsWith("docs/") && path !== "docs/index.md" && !linked.includes(path))).toEqual([]);
  });

  it("name no machine, no registry, and nothing of how they were made", () => {
    expect(readPages().flatMap(foreignWords)).toEqual([]);
  });
});

describe("the check of the pages", () => {
  const page = (text: string): Page => ({ path: "docs/a.md", text });

  it("finds links to missing files and headings, and passes over code", () => {
    const text = "# One title\n[a](missing.md) [b](../package.json) [c](#one-title) [d](#two) `[e](none)`\n```ts\n[f](none)\n```";
    expect(brokenLinks(page(text))).toEqual(["docs/a.md: missing.md", "docs/a.md: #two"]);
  });

  it("finds machine paths and registry hosts", () => {
    const text = "fine\nsee /home/somebody/x\nfrom registry.example.org\nissue #12";
    expect(foreignWords(page(text)).map((line) => line.split(": ")[0])).toEqual(["docs/a.md:2", "docs/a.md:3", "docs/a.md:4"]);
  });
});
