import { FlowerError } from "../core/errors.ts";
import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import { type Check, checkProblems } from "./check.ts";
import { checkToLines, linesToCheck, type ReadItem } from "./check-item.ts";
import { markdownLines } from "./markdown-lines.ts";
import { escapeContent, parseSections } from "./sections.ts";

export type { Check } from "./check.ts";

/** What "done" means: a statement, and a checklist that can be judged. */
export interface Goal {
  readonly statement: string;
  readonly checks: readonly Check[];
  /** The checks that nobody can verify in this environment. */
  readonly unverifiable: readonly Check[];
  /** A statement and at least one check. */
  readonly complete: boolean;
  /** What a file says that could not be understood, one English sentence each. */
  readonly problems: readonly string[];
}

const LEVEL = 1;
const LABELS = { statement: inEveryLanguage("section.goal"), checklist: inEveryLanguage("section.checklist") } as const;

/** A goal from its two parts; the rest is derived. */
export function makeGoal(statement: string, checks: readonly Check[], problems: readonly string[] = []): Goal {
  return {
    statement,
    checks,
    unverifiable: checks.filter((check) => check.unverifiableReason !== undefined),
    complete: statement.trim() !== "" && checks.length > 0,
    problems,
  };
}

/**
 * The goal as a file. Reading it back gives the same statement and checks, up to space around a text, `\r\n` line ends,
 * and patterns, which come back as literals. Throws `bad-input` for a check that has {@link checkProblems}.
 */
export function goalToMarkdown(goal: Pick<Goal, "statement" | "checks">, language: Language): string {
  const t = translator(language);
  const items = goal.checks.map((check) => toItem(check, language)).join("\n");
  const statement = escapeContent(goal.statement, LABELS, LEVEL);
  return `# ${t("section.goal")}\n${statement}\n\n# ${t("section.checklist")}\n${escapeContent(items, LABELS, LEVEL)}\n`;
}

/** Reads a goal in any language of the catalogue, also one that a person edited. Never throws. */
export function parseGoal(text: string): Goal {
  const { statement = "", checklist = "" } = parseSections(text, LABELS);
  const items = splitItems(checklist)
    .map(linesToCheck)
    .filter((item): item is ReadItem => item !== undefined);
  return makeGoal(
    statement,
    items.map((item) => item.check),
    items.flatMap((item) => item.problems),
  );
}

function toItem(check: Check, language: Language): string {
  const problems = checkProblems(check);
  if (problems.length > 0) {
    throw new FlowerError("bad-input", `The check "${check.text}" cannot be written. ${problems.join(" ")}`, { details: { problems } });
  }
  return checkToLines(check, language)
    .map((line, index) => (index === 0 ? `- ${line}` : line === "" ? "" : `  ${line}`))
    .join("\n");
}

const MARKER = /^([ \t]*)((?:[-*+]|\d{1,9}[.)])[ \t]+|(?:[-*+]|\d{1,9}[.)])$|\d{1,3}、[ \t]*)/;
const TASK_BOX = /^\[[ xX]\](?:[ \t]+|$)/;

/** The list's items as lines without marker, task box and indentation. Deeper lists belong to the item they are in. */
function splitItems(list: string): string[][] {
  const items: string[][] = [];
  let base: number | undefined;
  let inset = 0;
  for (const { text, isCode } of withOuterCode(list)) {
    const [whole = "", indent = ""] = isCode ? [] : (MARKER.exec(text) ?? []);
    if (whole !== "" && (base === undefined || indent.length <= base + 1)) {
      base ??= indent.length;
      inset = whole.length;
      items.push([text.slice(whole.length).replace(TASK_BOX, "")]);
    } else {
      items.at(-1)?.push(text.slice(countIndent(text, inset)));
    }
  }
  return items;
}

/** Only code at the left margin can hide list items: indented code, and code behind a marker, is inside an item. */
function withOuterCode(list: string): { readonly text: string; readonly isCode: boolean }[] {
  const lines = list.split("\n");
  const outer = lines.map((line) => (/^[ \t]/.test(line) || MARKER.test(line) ? "-" : line));
  return markdownLines(outer.join("\n")).map(({ fenced }, index) => ({ text: lines[index] ?? "", isCode: fenced }));
}

function countIndent(line: string, most: number): number {
  let count = 0;
  while (count < most && (line[count] === " " || line[count] === "\t")) count++;
  return count;
}
