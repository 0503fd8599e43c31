import type { Figures, Metric } from "./case.ts";
import type { Participant } from "./participants.ts";
import type { CaseResult } from "./rounds.ts";

/** The results as a Markdown table: a row per metric, a column per participant, then how flower stands. */
export function toTable(results: readonly CaseResult[], participants: readonly Participant[]): string {
  const names = participants.map(({ name }) => name);
  const header = ["case", ...names, "÷ fastest peer", "÷ floor", "goal"];
  const rows = results.flatMap((result) => result.measured.metrics.map((metric) => toRow(metric, result, names)));
  return [header, header.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function toRow(metric: Metric, { figures, failures }: CaseResult, names: readonly string[]): readonly string[] {
  const of = (name: string) => figures.get(name)?.[metric.key];
  const peers = names.filter((name) => name !== "flower" && name !== "floor").map(of);
  const fastest = Math.min(...peers.filter((figure) => figure !== undefined));
  const ours = of("flower");
  const cells = names.map((name) => (failures.has(name) ? "failed" : format(of(name))));
  return [`${metric.title}, ${metric.unit}`, ...cells, ratio(ours, fastest), ratio(ours, of("floor")), goal(metric, ours, fastest)];
}

function goal(metric: Metric, ours: number | undefined, fastest: number): string {
  if (metric.goal === undefined) return "";
  const limit = metric.goal === "fastest" ? fastest : metric.goal;
  const text = metric.goal === "fastest" ? "< peers" : `≤ ${metric.goal}`;
  if (ours === undefined || !Number.isFinite(limit)) return text;
  return `${text} ${(metric.goal === "fastest" ? ours < limit : ours <= limit) ? "✓" : "✗"}`;
}

function ratio(ours: Figures[string] | undefined, other: number | undefined): string {
  if (ours === undefined || other === undefined || !Number.isFinite(other)) return "";
  return (ours / other).toFixed(2);
}

/** Three significant digits; whole numbers from 100 on. */
function format(figure: number | undefined): string {
  if (figure === undefined) return "–";
  if (figure >= 100) return Math.round(figure).toLocaleString("en");
  return String(Number(figure.toPrecision(figure >= 10 ? 3 : 2)));
}
