import type { Translate } from "../../i18n/catalogue.ts";
import { clip } from "../../messages/event.ts";
import { type FolderCost, folderCost } from "../../server/folder-cost.ts";
import type { AskView, RunState } from "../../server/run-control.ts";
import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";
import { formatCost, formatDuration, formatTokens } from "../terminal/format.ts";

/** Where the run in this folder is, alive or not. Gives the exit code. */
export async function status(options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found) return refuse(whyNoRemote(sight));
  const [now, total] = await Promise.all([(found.remote ?? found.files).state(), folderCost(sight.place.runDir)]);
  const state = { ...now, verdict: now.verdict ?? (await found.files.verdictBefore(now.run)) };
  const text = statusLines(state, { t, isResumed: found.isResumed, now: Date.now(), total }).join("\n");
  return tell(options, text, { ...state, totalCostUsd: total.usd, totalCostComplete: total.complete });
}

interface StatusView {
  readonly t: Translate;
  readonly isResumed: boolean;
  readonly now: number;
  readonly total: FolderCost;
}

function statusLines(state: RunState, view: StatusView): readonly string[] {
  const { t } = view;
  const { step, round, verdict, failedAt, reason } = state;
  const lines = [t("cli.status.run", { run: state.run, state: stateText(state, view) })];
  if (state.startedAt !== undefined) lines.push(sinceText(state, view));
  if (step) lines.push(t("cli.status.step", { index: step.index, total: step.total, step: step.name, round }));
  if (state.state === "running") lines.push(t("cli.status.now", { activity: activityText(state.activity, t) }));
  lines.push(t("cli.status.cost", { cost: costText(state) }));
  lines.push(t("cli.totalCost", { cost: formatCost(view.total.usd, view.total.complete), runs: view.total.runs }));
  if (state.context !== undefined) lines.push(contextText(state.context, state.handoffAt, t));
  if (verdict)
    lines.push(t("cli.status.verdict", { round: verdict.round, state: t(`verdict.${verdict.state || "none"}`), reason: verdict.reason }));
  for (const { check, state, evidence } of verdict?.checks ?? [])
    lines.push(`  ${MARKS[state]} ${oneLine(check)}`, `      ${oneLine(evidence)}`);
  if (failedAt !== undefined) lines.push(t("cli.status.failedAt", { step: failedAt, reason: reason ?? "" }));
  return [...lines, ...state.asks.flatMap((ask) => ["", ...askLines(ask, t)])];
}

const MARKS = { passed: "✓", failed: "✗", unverifiable: "?" } as const;

function oneLine(text: string): string {
  return clip(text.replaceAll(/\s+/g, " ").trim(), 200);
}

function stateText({ state, outcome = "failed", exitCode, verdict }: RunState, { t, isResumed }: StatusView): string {
  if (state === "running") return t("cli.status.running");
  if (state === "gone") return t(isResumed ? "cli.status.gone" : "cli.status.goneForGood");
  const isDone = outcome === "achieved" && verdict?.state !== "achieved"; // nobody judged it
  return t("cli.status.ended", { outcome: t(isDone ? "ui.end.done" : `ui.end.${outcome}`), code: exitCode ?? 1 });
}

function sinceText({ startedAt = "", endedAt, state }: RunState, { t, now }: StatusView): string {
  const until = endedAt !== undefined ? Date.parse(endedAt) : now;
  const duration = state === "gone" ? "?" : formatDuration(until - Date.parse(startedAt));
  return t("cli.status.since", { at: startedAt, duration });
}

function activityText(activity: string, t: Translate): string {
  switch (activity) {
    case "model":
    case "retry":
    case "handoff":
      return t(`ui.status.${activity}`);
    case "question":
      return t("cli.status.waiting");
    case "tool":
      return t("cli.status.tool");
    default:
      return t("cli.status.idle");
  }
}

function costText({ costUsd, costComplete }: RunState): string {
  return formatCost(costUsd ?? 0, costUsd === undefined || costComplete);
}

function contextText(context: number, handoffAt: number | undefined, t: Translate): string {
  if (handoffAt === undefined) return t("cli.status.context", { context: formatTokens(context) });
  return t("cli.status.contextOf", { context: formatTokens(context), at: formatTokens(handoffAt) });
}

function askLines({ id, question, options }: AskView, t: Translate): readonly string[] {
  const example = options.length > 0 ? "1" : t("cli.status.example");
  return [
    t("cli.status.ask", { id, question }),
    ...options.map((option, index) => `  ${index + 1}  ${option}`),
    `  ${t("cli.status.howToAnswer", { id, example })}`,
  ];
}
