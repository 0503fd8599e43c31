import { isRecord } from "../core/json.ts";
import type { Translate } from "../i18n/catalogue.ts";
import type { CheckEvidence, VerdictState } from "../messages/event.ts";
import type { Check } from "../workbench/check.ts";
import type { Goal } from "../workbench/goal-document.ts";
import type { HardCheckResult } from "./hard-checks.ts";
import { parseVerdictText } from "./verdict-text.ts";

/** What the judge says of one check. */
export interface CheckVerdict {
  /** The check's number in the goal, from 1. */
  readonly number: number;
  readonly state: CheckEvidence["state"];
  /** A path with a quote, or a command with its output. */
  readonly evidence: string;
}

/** What the verdict tool takes. */
export interface JudgeReport {
  readonly checks: readonly CheckVerdict[];
  readonly reason: string;
  /** Why no further round would help; undefined when one might. */
  readonly impossible?: string;
}

/** An independent decision, derived by code from what the judge reported and what the runtime itself ran. */
export interface Verdict {
  /** "" = the judge came to no usable conclusion; treated as not yet. */
  readonly state: VerdictState;
  readonly ok: boolean;
  readonly reason: string;
  readonly checks: readonly CheckEvidence[];
}

/** Whether what was read from disk is a verdict. */
export function isVerdict(value: unknown): value is Verdict {
  if (!isRecord(value) || !Array.isArray(value["checks"])) return false;
  return typeof value["state"] === "string" && typeof value["ok"] === "boolean" && typeof value["reason"] === "string";
}

export interface DeriveInput {
  readonly goal: Goal;
  /** Undefined when the judge gave no report. */
  readonly report: JudgeReport | undefined;
  /** What the judge said instead. */
  readonly words?: string;
  readonly hardChecks: readonly HardCheckResult[];
  /** Texts of unverifiable checks that a person accepted earlier. */
  readonly accepted: ReadonlySet<string>;
  /** The reason when there is no usable conclusion. */
  readonly defaultReason: string;
}

/**
 * The state, by this table, top to bottom:
 * - no report → what the judge's words say, by {@link parseVerdictText}: not yet and unreachable count; achieved only if every check
 *   is settled without the judge, by its command or by a person; else "";
 * - a check that the report leaves out, or names twice → "";
 * - `impossible` → unreachable;
 * - a check that the goal calls unverifiable here is that, also where the judge passed it, unless its command held;
 * - any check failed, passed without evidence (a word or a figure at least), or contradicted by a hard check → not_yet;
 * - some unverifiable and not accepted by a person → unreachable;
 * - else → achieved.
 */
export function deriveVerdict(input: DeriveInput): Verdict {
  const { goal, report } = input;
  if (!report) return deriveFromWords(input);
  const checks = goal.checks.map((check, index) => judgeCheck(check, index + 1, input));
  if (checks.some((check) => check === undefined)) return verdict("", input.defaultReason, checks.filter(isPresent));
  const settled = checks.filter(isPresent);
  const impossible = report.impossible?.trim() ?? "";
  if (impossible !== "") return verdict("unreachable", impossible, settled);
  if (settled.some((check) => check.state === "failed")) return verdict("not_yet", report.reason, settled);
  const open = settled.filter((check) => check.state === "unverifiable" && !input.accepted.has(check.check));
  if (open.length > 0) return verdict("unreachable", unverifiableReason(report.reason, open), settled);
  return verdict("achieved", report.reason, settled);
}

/** Words are weaker than a report: they can hold the work up, but pass it only where nothing depends on them. */
function deriveFromWords(input: DeriveInput): Verdict {
  const settled = input.goal.checks.map((check, index) => settledWithoutJudge(check.text, index + 1, input));
  const known = settled.filter(isPresent);
  const { state, reason } = parseVerdictText(input.words ?? "");
  if (state === "not_yet" || state === "unreachable") return verdict(state, reason.trim() || input.defaultReason, known);
  const isSettled = settled.every((check) => check !== undefined && check.state !== "failed");
  return state === "achieved" && isSettled ? verdict("achieved", reason, known) : verdict("", input.defaultReason, known);
}

function settledWithoutJudge(text: string, number: number, input: DeriveInput): CheckEvidence | undefined {
  const hard = input.hardChecks.find((check) => check.number === number);
  if (hard) return { check: text, state: hard.ok ? "passed" : "failed", evidence: hard.evidence };
  return input.accepted.has(text) ? { check: text, state: "unverifiable", evidence: "accepted by a person" } : undefined;
}

function judgeCheck({ text, unverifiableReason }: Check, number: number, input: DeriveInput): CheckEvidence | undefined {
  const [said, again] = input.report?.checks.filter((check) => check.number === number) ?? [];
  const hard = input.hardChecks.find((check) => check.number === number);
  if (hard && !hard.ok) return { check: text, state: "failed", evidence: hard.evidence };
  if (!said || again) return undefined;
  if (said.state === "passed" && !hard && unverifiableReason !== undefined) {
    return { check: text, state: "unverifiable", evidence: unverifiableReason }; // nobody can have seen it here
  }
  if (said.state === "passed" && !/[\p{L}\p{N}]/u.test(said.evidence)) {
    return hard
      ? { check: text, state: "passed", evidence: hard.evidence }
      : { check: text, state: "failed", evidence: "passed without evidence" };
  }
  return { check: text, state: said.state, evidence: said.evidence };
}

function unverifiableReason(reason: string, open: readonly CheckEvidence[]): string {
  return [reason, ...open.map((check) => `${check.check}: ${check.evidence}`)].filter((line) => line.trim() !== "").join("\n");
}

function verdict(state: VerdictState, reason: string, checks: readonly CheckEvidence[]): Verdict {
  return Object.freeze({ state, ok: state === "achieved", reason, checks });
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** What is missing, for the worker: never how to do it. */
export function verdictFeedback(given: Verdict): string {
  const missing = given.checks.filter((check) => check.state !== "passed");
  const lines = missing.map((check) => `- ${check.check}\n  ${check.state}: ${check.evidence.split("\n").join("\n  ")}`);
  return [given.reason, "", ...lines].join("\n").trim();
}

/** For people: conclusion, reason, and each check with its evidence. */
export function verdictToMarkdown(given: Verdict, t: Translate): string {
  const checks = given.checks.map((check) => `- **${t(`verdict.${check.state}`)}** ${check.check}\n\n${quote(check.evidence)}`);
  return (
    [`# ${t("section.conclusion")}`, t(stateKey(given.state)), `# ${t("section.reason")}`, given.reason, ...checks].join("\n\n") + "\n"
  );
}

function stateKey(state: VerdictState) {
  return state === "" ? "verdict.none" : (`verdict.${state}` as const);
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `  > ${line}`)
    .join("\n");
}
