import stringWidth from "string-width";
import type { CheckEvidence, TaskPayload, VerdictState } from "../../messages/event.ts";
import { formatCost, formatDuration } from "./format.ts";
import { type Cell, marked, type Page, type Paint, rule, table } from "./page.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { firstLines, truncate, wrapText } from "./wrap.ts";

type Task<T extends TaskPayload["type"]> = Extract<TaskPayload, { type: T }>;

const FAILURE_LINES = 4;

/** The checklist at the moment it is frozen, with a warning for what nobody will be able to verify. */
export function goalLines(page: Page, text: string, goal: Task<"goal">): string[] {
  const { t, colors } = page;
  const title = t("ui.goal.frozen", { total: goal.total, path: sanitizeLine(goal.path) });
  const lines = marked(page, "☐ ", title, colors.bold);
  if (goal.unverifiable.length === 0) {
    return text === "" ? lines : [...lines, ...wrapText(sanitize(text), page.width - 2).map((line) => `  ${line}`)];
  }
  const warning = t("ui.goal.unverifiable", { count: goal.unverifiable.length, total: goal.total });
  const own = [warning, ...goal.unverifiable.map((check) => `· ${check}`)].join("\n");
  return [...lines, ...marked(page, colors.yellow("⚠ "), sanitize(text === "" ? own : text), colors.yellow)];
}

/** One hard check that the framework ran itself. */
export function checkLines(page: Page, check: Task<"check">): string[] {
  const { colors } = page;
  const mark = check.ok ? colors.green("✓ ") : colors.red("✗ ");
  const head = marked(page, `${mark}${colors.dim(`${check.index}/${check.total}`)} `, sanitizeLine(check.check));
  const evidence = sanitize(check.evidence).trim();
  if (evidence === "") return head;
  const indent = "      ";
  if (check.ok) return [...head, indent + colors.dim(truncate(sanitizeLine(evidence), page.width - indent.length))];
  return [...head, ...firstLines(wrapText(evidence, page.width - indent.length), FAILURE_LINES).map((line) => indent + colors.red(line))];
}

/** The verdict as a table: check, state, evidence. */
export function verdictLines(page: Page, verdict: Task<"verdict">): string[] {
  const { t, colors } = page;
  const state = t(verdict.state === "" ? "ui.verdict.none" : `ui.verdict.${verdict.state}`);
  const title = rule(page, t("ui.verdict.title", { round: verdict.round, state }), "─");
  const rows = verdict.checks.map((check) => verdictRow(page, check));
  const reason = verdict.reason === "" ? [] : wrapText(sanitize(verdict.reason), page.width);
  const body = rows.length === 0 ? [] : table([verdictHead(page), ...rows], verdictWidths(page));
  const gap = body.length > 0 && reason.length > 0 ? [""] : [];
  return [colors.bold(verdictPaint(page, verdict.state)(title)), ...body, ...gap, ...reason];
}

function verdictPaint({ colors }: Page, state: VerdictState): Paint {
  if (state === "achieved") return colors.green;
  return state === "unreachable" ? colors.red : colors.yellow;
}

/** The states get what their words need, evidence a little more than the check; 4 columns go to the gaps. */
function verdictWidths(page: Page): number[] {
  const needed = Math.max(...(["passed", "failed", "unverifiable"] as const).map((state) => stringWidth(page.t(`ui.check.${state}`)))) + 2;
  const states = Math.min(needed, Math.floor(page.width / 3));
  const check = Math.floor((page.width - states - 4) * 0.45);
  return [check, states, page.width - states - 4 - check];
}

function verdictHead({ t, colors }: Page): Cell[] {
  return [t("ui.verdict.check"), t("ui.verdict.state"), t("ui.verdict.evidence")].map((text) => ({ text, paint: colors.dim }));
}

const STATE_MARKS = { passed: "✓", failed: "✗", unverifiable: "?" } as const;
const STATE_COLORS = { passed: "green", failed: "red", unverifiable: "yellow" } as const;

function verdictRow({ t, colors }: Page, check: CheckEvidence): Cell[] {
  const state = `${STATE_MARKS[check.state]} ${t(`ui.check.${check.state}`)}`;
  return [
    { text: sanitize(check.check) },
    { text: state, paint: colors[STATE_COLORS[check.state]] },
    { text: sanitize(check.evidence), paint: colors.dim },
  ];
}

/** A limit that comes near or is reached. */
export function budgetLines(page: Page, text: string, budget: Task<"budget">): string[] {
  const { t, colors } = page;
  const values = { limit: sanitizeLine(budget.limit), used: round(budget.used), of: round(budget.of) };
  const percent = budget.of > 0 ? Math.round((100 * budget.used) / budget.of) : 100;
  const own = budget.level === "warning" ? t("ui.budget.warning", { ...values, percent }) : t("ui.budget.reached", values);
  const paint = budget.level === "warning" ? colors.yellow : colors.red;
  return marked(page, paint("⚠ "), text === "" ? own : sanitize(text), paint);
}

function round(amount: number): number {
  return Number(amount.toFixed(amount < 1 ? 4 : 2));
}

/** What a run's last line tells beside its last event. */
export interface RunSum {
  readonly durationMs: number;
  /** Undefined while nothing with a price was used. */
  readonly cost: { readonly usd: number; readonly complete: boolean } | undefined;
  /** The last verdict was that the goal is achieved. Without one nothing was judged: then the work is done, no more. */
  readonly isJudged: boolean;
}

/** The last line of a run: outcome, time, cost, exit code, and where and why it stopped. */
export function runEndLines(page: Page, end: Task<"run-end">, { durationMs, cost, isJudged }: RunSum): string[] {
  const { t, colors } = page;
  const good = end.outcome === "achieved";
  const paint = good ? colors.green : end.outcome === "failed" ? colors.red : colors.yellow;
  const place = end.failedAt === undefined ? [] : [t("ui.end.failedAt", { step: sanitizeLine(end.failedAt) })];
  const outcome = t(good && !isJudged ? "ui.end.done" : `ui.end.${end.outcome}`);
  const spent = cost === undefined ? [] : [formatCost(cost.usd, cost.complete)];
  const facts = [outcome, ...place, formatDuration(durationMs), ...spent, t("ui.end.exit", { code: end.exitCode })];
  const lines = [colors.bold(paint(rule(page, facts.join(" · "), "━")))];
  return end.reason === undefined || end.reason === "" ? lines : [...lines, ...wrapText(sanitize(end.reason), page.width)];
}
