import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";

/** A reason is one line of at most this many characters. */
export const LONGEST_REASON = 1_000;

const WORDS = inEveryLanguage("goal.unverifiableMark").map((mark) => mark.replace(/^\[/, "").replace(/[:：]\s*\{reason\}\]$/, ""));
/** How a mark begins, in any language, with a half- or full-width colon. */
const OPENING = `\\[[ \\t]{0,4}(?:${WORDS.join("|")})[ \\t]{0,4}[:：]`;

/** `[cannot be verified here: reason]`. Brackets in the reason are escaped. */
export function renderMark(reason: string, language: Language): string {
  return translator(language)("goal.unverifiableMark", { reason: reason.replace(/[[\]\\]/g, "\\$&") });
}

/** Text in which nothing reads as a mark: the bracket of what would gets a backslash. */
export function escapeMarks(text: string): string {
  return text.replace(new RegExp(OPENING, "gi"), "\\$&");
}

/** The inverse of {@link escapeMarks}. */
export function unescapeMarks(text: string): string {
  return text.replace(new RegExp(`\\\\(${OPENING})`, "gi"), "$1");
}

/** Takes the marks out of a line, in any language: the line without them, and their reasons. */
export function takeMarks(line: string): { readonly rest: string; readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  let rest = "";
  let from = 0;
  const opening = new RegExp(OPENING, "gi");
  for (let match = opening.exec(line); match; match = opening.exec(line)) {
    const end = line[match.index - 1] === "\\" ? undefined : closingBracket(line, opening.lastIndex);
    if (end === undefined) continue;
    reasons.push(
      line
        .slice(opening.lastIndex, end)
        .replace(/\\([[\]\\])/g, "$1")
        .trim(),
    );
    rest = join(rest, line.slice(from, match.index));
    from = end + 1;
    opening.lastIndex = from;
  }
  return reasons.length === 0 ? { rest: line, reasons } : { rest: join(rest, line.slice(from)).trimEnd(), reasons };
}

function join(before: string, after: string): string {
  return before === "" ? after : `${before.trimEnd()} ${after.trimStart()}`;
}

/** Where the bracket closes that is open before `start`; inner brackets are counted, escaped ones are not. */
function closingBracket(line: string, start: number): number | undefined {
  const limit = Math.min(line.length, start + 2 * LONGEST_REASON + 16);
  let depth = 1;
  for (let at = start; at < limit; at++) {
    const char = line[at];
    if (char === "\\" && /[[\]\\]/.test(line[at + 1] ?? "")) at++;
    else if (char === "[") depth++;
    else if (char === "]" && --depth === 0) return at;
  }
  return undefined;
}
