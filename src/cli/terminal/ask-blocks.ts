import type { AskPayload, EventOf } from "../../messages/event.ts";
import { framed, marked, type Page } from "./page.ts";
import { mailReceipt } from "./receipts.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { wrapText } from "./wrap.ts";

type Question = Extract<AskPayload, { kind: "question" }>;
type Mail = Extract<AskPayload, { kind: "mail" }>;

/** A question that waits: who asks, the question, numbered options, and how to answer. */
export function questionBlock(page: Page, text: string, question: Question): string[] {
  const { t, colors } = page;
  const from = question.path.length > 0 ? ` · ${t("ui.ask.from", { path: sanitizeLine(question.path.join(" › ")) })}` : "";
  const title = `${t(`ui.ask.${question.purpose}`, { id: sanitizeLine(question.id) })}${from}`;
  const inner = { ...page, width: page.width - 2 };
  const lines = wrapText(sanitize(text), inner.width).map(colors.bold);
  const options = question.options.flatMap((option, i) => marked(inner, ` ${colors.bold(String(i + 1))}  `, sanitize(option)));
  if (options.length > 0) lines.push("", ...options);
  lines.push("", ...wrapText(howToAnswer(page, question), inner.width).map(colors.dim));
  return framed(page, title, lines, colors.yellow);
}

function howToAnswer({ t }: Page, question: Question): string {
  if (question.purpose === "permission") return t("ui.ask.howPermission");
  const how = t(question.options.length > 0 ? "ui.ask.howOptions" : "ui.ask.howFree");
  return question.remaining < 0 ? how : `${how} ${t("ui.ask.remaining", { count: question.remaining })}`;
}

/** How a question ended. `seen` tells whether it was on screen before; one that never waited is repeated here. */
export function outcomeLines(page: Page, event: EventOf<"ask">, question: Question, seen: boolean): string[] {
  const { colors } = page;
  const answered = question.state === "answered";
  const mark = answered ? colors.green("✓ ") : colors.yellow("– ");
  const lines = marked(page, mark, outcomeText(page, question));
  return seen ? lines : [...lines, ...marked(page, "  ", sanitize(event.text), colors.dim)];
}

function outcomeText({ t }: Page, question: Question): string {
  const id = sanitizeLine(question.id);
  switch (question.state) {
    case "answered":
      return t("ui.ask.answered", { id, answer: sanitize(question.answer) });
    case "timeout":
    case "declined":
    case "over_budget":
    case "invalid":
      return t(`ui.ask.${question.state}`, { id });
    default:
      return `${id} ${sanitizeLine(question.state)}`;
  }
}

/** The receipt of what a person said unasked: tells truly whether it is on disk, and when the agent has it. */
export function mailLines(page: Page, text: string, mail: Mail): string[] {
  const { t, colors } = page;
  const id = sanitizeLine(mail.id);
  if (mail.state === "delivered") return marked(page, colors.cyan("✉ "), t("ui.mail.delivered", { id }), colors.dim);
  const receipt = sanitizeLine(mailReceipt(t, { ...mail, id }));
  const paint = mail.amended === "" ? colors.yellow : colors.dim;
  return [...marked(page, colors.cyan("✉ "), sanitize(text)), ...marked(page, "  ", receipt, paint)];
}
