import type { Translate } from "../../i18n/catalogue.ts";
import type { EventOf } from "../../messages/event.ts";
import { formatDuration, formatTokens } from "./format.ts";
import { framed, marked, type Page, roleColor } from "./page.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { firstLines, truncate, wrapText } from "./wrap.ts";

/** What a model says, behind a mark in the colour of its agent. */
export function proseLines(page: Page, event: EventOf<"text">): string[] {
  const { agent, subagent } = event.payload;
  const mark = roleColor(page, subagent ?? agent)("● ");
  if (subagent === undefined) return marked(page, mark, sanitize(event.text).trim());
  return marked(page, mark, `${sanitizeLine(subagent)}: ${sanitize(event.text).trim()}`);
}

const INPUT_LINES = 8;

/** Thinking and prompts: dim, and only their beginning. */
export function inputLines(page: Page, event: EventOf<"thinking" | "prompt">): readonly string[] {
  const mark = event.kind === "thinking" ? "∴ " : "» ";
  return firstLines(marked(page, mark, sanitize(event.text).trim()), INPUT_LINES).map(page.colors.dim);
}

/** One line, whatever the call. */
export function toolCallLines(page: Page, event: EventOf<"tool_call">): string[] {
  const call = `⏺ ${sanitizeLine(event.tool)}  ${sanitizeLine(event.text)}`.trimEnd();
  return [page.colors.dim(truncate(call, page.width))];
}

/** What a tool gave back; an error names the tool, since results of parallel calls come in any order. */
export function toolResultLines(page: Page, event: EventOf<"tool_result">, tool: string): string[] {
  const text = sanitize(event.text).trim();
  if (!event.payload.isError) return marked(page, "  ⎿ ", text).map(page.colors.dim);
  return marked(page, page.colors.red("  ✗ "), tool === "" ? text : `${sanitizeLine(tool)}: ${text}`, page.colors.red);
}

/** A context handoff: a line while it comes near, a block when a fresh session has taken over. */
export function handoffLines(page: Page, event: EventOf<"handoff">): string[] {
  const handoff = event.payload;
  if (handoff.phase !== "done") return marked(page, page.colors.yellow("◐ "), sanitize(event.text), page.colors.yellow);
  const inner = { ...page, width: page.width - 2 };
  const lines = [
    ...wrapText(sanitize(event.text), inner.width),
    ...marked(inner, "→ ", [handoff.path, ...handoff.sections].map(sanitizeLine).join(" · "), page.colors.dim),
    ...(handoff.degraded ? marked(inner, "⚠ ", page.t("ui.handoff.degraded"), page.colors.yellow) : []),
  ];
  const { context, window } = handoff;
  const levels = { step: sanitizeLine(handoff.step), context: formatTokens(context), window: formatTokens(window) };
  return framed(page, page.t("ui.handoff.title", levels), lines, page.colors.magenta);
}

/** The Runtime's own sentence, else one made from the facts. */
export function retryText(t: Translate, { payload, text }: EventOf<"retry">): string {
  if (text !== "") return text;
  const delay = payload.delayMs === undefined ? "" : ` (${formatDuration(payload.delayMs)})`;
  return t("ui.retry", { attempt: payload.attempt, step: payload.step, reason: payload.reason + delay });
}

export function transferText({ payload, text }: EventOf<"transfer">): string {
  const reason = payload.reason || text;
  return `${payload.from} → ${payload.to}${reason === "" ? "" : ` · ${reason}`}`;
}

export function resetText(t: Translate, { payload }: EventOf<"reset">): string {
  const { preTokens, postTokens } = payload;
  if (preTokens === undefined || postTokens === undefined) return t("ui.reset");
  return `${t("ui.reset")} · ${formatTokens(preTokens)} → ${formatTokens(postTokens)}`;
}
