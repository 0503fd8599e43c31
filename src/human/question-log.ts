import { relative } from "node:path";
import type { Translate } from "../i18n/catalogue.ts";
import type { Amendment } from "./amendments.ts";
import type { Ask } from "./ask.ts";
import type { AmendReceipt, Mail } from "./mail.ts";
import { oneLine, quote } from "./quote.ts";

/** A question in the log: heading with id, time and asker, the words, the options. */
export function questionEntry(ask: Ask, t: Translate): string {
  const asker = ask.path.length === 0 ? "" : ` · ${ask.path.map(oneLine).join(" › ")}`;
  const options = ask.options.map((option) => `- ${oneLine(option)}\n`).join("");
  return `\n## ${ask.id} · ${ask.askedAt}${asker}\n\n${quote(ask.question)}\n${options === "" ? "" : `\n${t("human.logOptions")}\n\n${options}`}`;
}

/** What became of a question, with its id, since questions that wait at the same time end in any order. */
export function outcomeEntry(ask: Ask, t: Translate): string {
  const said = ask.answer === "" ? "" : `\n${quote(ask.answer)}\n`;
  return `\n${outcomeLine(ask, t)}\n${said}`;
}

function outcomeLine(ask: Ask, t: Translate): string {
  const values = { id: ask.id, seconds: (ask.waitedMs / 1000).toFixed(1) };
  switch (ask.state) {
    case "answered":
      return t("human.logAnswered", values);
    case "declined":
      return t("human.logDeclined", values);
    case "timeout":
      return t("human.logTimeout", values);
    case "over_budget":
      return t("human.logOverBudget", values);
    default:
      return t("human.logInvalid", values);
  }
}

/** Mail in the log, with its receipt. */
export function mailEntry(mail: Mail, t: Translate, logPath = ""): string {
  const receipt = receiptLine(mail, t, logPath);
  return `\n## ${t("human.logMail", { id: mail.id })} · ${mail.at}\n\n${quote(mail.text)}\n${receipt === "" ? "" : `\n${receipt}\n`}`;
}

/** Words that were added to the document and are no mail, with their receipt. */
export function amendmentEntry(amendment: Amendment, receipt: AmendReceipt, t: Translate, logPath = ""): string {
  const label = oneLine(amendment.label);
  const line = receiptLine(receipt, t, logPath);
  const heading = `${t("section.amendments")}${label === "" ? "" : ` · ${label}`} · ${amendment.at}`;
  return `\n## ${heading}\n\n${quote(amendment.text)}\n${line === "" ? "" : `\n${line}\n`}`;
}

function receiptLine(mail: AmendReceipt, t: Translate, logPath: string): string {
  if (mail.notSaved !== undefined) return t("human.logMailNotSaved", { reason: oneLine(mail.notSaved) });
  if (mail.amended === "") return "";
  return t("human.logMailSaved", { path: logPath === "" ? mail.amended : relative(`${logPath}/..`, mail.amended) });
}

/** Everything that was asked and said, oldest first. */
export function transcriptOf(asks: readonly Ask[], mail: readonly Mail[], t: Translate): string {
  const entries = [
    ...asks.map((ask) => ({ at: ask.askedAt, text: questionEntry(ask, t) + (ask.state === "asked" ? "" : outcomeEntry(ask, t)) })),
    ...mail.map((item) => ({ at: item.at, text: mailEntry(item, t) })),
  ];
  return entries
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map((entry) => entry.text)
    .join("")
    .trimStart();
}
