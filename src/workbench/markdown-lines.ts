/** One line of a Markdown text, without its line feed. */
export interface MarkdownLine {
  readonly text: string;
  /** Where the line begins in the text. */
  readonly start: number;
  /** Inside fenced code, its two fence lines included: opaque, whatever it looks like. */
  readonly fenced: boolean;
}

/** Fenced code in progress. */
interface Fence {
  readonly mark: string;
  readonly length: number;
  /** Behind a list marker: how far the marker is indented. The fence ends with the item. */
  readonly item?: number;
}

const OPENING = /^([ \t]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+){0,8})(`{3,}(?=[^`]*$)|~{3,})/;
const BARE = /^(?:`{3,}|~{3,})$/;

/**
 * A text's lines, each marked whether it is code. Linear in the text.
 *
 * What a fence that nothing closes means depends on who asks: for a reader (`"code"`) it runs to the end of the text;
 * a writer (`"text"`) sees it as an ordinary line, which must be escaped lest it swallow what is written after it.
 */
export function markdownLines(text: string, unclosed: "code" | "text" = "code"): MarkdownLine[] {
  const lines = text.split("\n");
  const closes = unclosed === "text" ? closingLengths(lines) : undefined;
  let fence: Fence | undefined;
  let start = 0;
  return lines.map((line, index) => {
    if (fence && leavesItem(line, fence)) fence = undefined;
    let fenced = fence !== undefined;
    if (fence) {
      if (isClosing(line, fence)) fence = undefined;
    } else {
      fence = openingFence(line);
      if (fence && closes && fence.item === undefined && !closes(fence, index)) fence = undefined;
      fenced = fence !== undefined;
    }
    const result = { text: line, start, fenced };
    start += line.length + 1;
    return result;
  });
}

/** True for a line that opens a fence which only a closing fence ends. */
export function opensFence(line: string): boolean {
  const fence = openingFence(line);
  return fence !== undefined && fence.item === undefined;
}

/** The text with `\n` line ends and without blank lines around it: what a section or an item keeps of its content. */
export function tidy(text: string): string {
  const lines = withoutReturns(text).split("\n");
  let first = 0;
  let end = lines.length;
  while (first < end && lines[first]!.trim() === "") first++;
  while (end > first && lines[end - 1]!.trim() === "") end--;
  return lines.slice(first, end).join("\n");
}

/** The text with `\n` line ends. */
export function withoutReturns(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => {
      let end = line.length;
      while (line[end - 1] === "\r") end--;
      return line.slice(0, end);
    })
    .join("\n");
}

function openingFence(line: string): Fence | undefined {
  const match = OPENING.exec(line);
  if (!match) return undefined;
  const [, indent = "", markers = "", run = ""] = match;
  return { mark: run.charAt(0), length: run.length, ...(markers === "" ? {} : { item: indent.length }) };
}

function isClosing(line: string, fence: Fence): boolean {
  const bare = line.trim();
  return bare.length >= fence.length && bare.startsWith(fence.mark) && BARE.test(bare);
}

function leavesItem(line: string, fence: Fence): boolean {
  if (fence.item === undefined || line.trim() === "") return false;
  return line.length - line.replace(/^[ \t]+/, "").length <= fence.item;
}

/** Tells whether a fence that opens at a line is closed further down: the longest closing run behind each line, by mark. */
function closingLengths(lines: readonly string[]): (fence: Fence, index: number) => boolean {
  const longest = { "`": new Uint32Array(lines.length + 1), "~": new Uint32Array(lines.length + 1) };
  for (let index = lines.length - 1; index >= 0; index--) {
    const bare = lines[index]!.trim();
    const length = BARE.test(bare) ? bare.length : 0;
    for (const mark of ["`", "~"] as const) {
      longest[mark][index] = Math.max(longest[mark][index + 1]!, bare.startsWith(mark) ? length : 0);
    }
  }
  return (fence, index) => (longest[fence.mark as "`" | "~"][index + 1] ?? 0) >= fence.length;
}
