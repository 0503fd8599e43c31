import type { HumanChannel } from "../human/channel.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { describeAmount, type LimitReached } from "../runtime/budget.ts";
import { readBudgetAnswer } from "./budget-answer.ts";

export interface BudgetQuestion {
  readonly reached: LimitReached;
  /** Names this question among all of the chain, so that it is found again after a restart. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the person whether the run may spend more. Gives the new limit in total; undefined when they say stop, when nobody answers,
 * and when the answer is not clear the second time either: an amount is never made up. Unclear words reach the agent as mail.
 */
export async function askBudget(question: BudgetQuestion, channel: HumanChannel, t: Translate): Promise<number | undefined> {
  const { limit, used, of, next } = question.reached;
  const raised = raisedLimit(question.reached);
  const options = [t("budget.raise", { to: describeAmount(limit, raised) }), t("budget.stop")];
  const shown = { used: describeAmount(limit, used), of: describeAmount(limit, of) };
  const ask = async (text: string, key: string) => {
    const { state, answer } = await channel.ask(text, { options, purpose: "budget", key, signal: question.signal });
    if (state !== "answered") return { stop: true } as const;
    if (answer === options[0]) return { to: raised };
    if (answer === options[1]) return { stop: true } as const;
    const said = readBudgetAnswer(answer, used);
    const isClear = said && ("stop" in said || limit !== "wallMs"); // amounts are read as money or tokens, never as time
    return isClear ? said : { unclear: answer };
  };
  const first = next === undefined ? t("budget.question", shown) : t("budget.near", { ...shown, next: describeAmount(limit, next) });
  let said = await ask(first, question.key);
  if ("unclear" in said) said = await ask(t("budget.unclear", { ...shown, answer: said.unclear }), `${question.key}/again`);
  if ("unclear" in said) void channel.send(said.unclear);
  return "to" in said ? said.to : undefined;
}

/** Twice the limit, and in any case clearly more than what is used. */
function raisedLimit({ limit, used, of, next = 0 }: LimitReached): number {
  const to = Math.max(of * 2, used * 1.5, used + 2 * next);
  return limit === "usd" ? Math.max(0.01, Math.ceil(to * 100) / 100) : Math.ceil(to);
}
