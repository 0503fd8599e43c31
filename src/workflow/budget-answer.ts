/** What a person said about a limit: the new one in total, or to stop. */
export type BudgetAnswer = { readonly to: number } | { readonly stop: true };

const STOP =
  /^(?:please |请)?(?:stop|no|nope|enough|quit|end|pare|parar|não|nao|chega|basta|停|停止|停下|不|不要|不用|不行|够了|到此为止)(?: (?:it|here|aqui|now|agora))?$/;
/** What turns an amount into something else than a new total in dollars: more by that much, less, not that, other money. */
const TURNED =
  /[+\-−]|\b(?:more|extra|additional|another|plus|add|less|minus|not|don't|dont|no|never|stop|each|per|mais|outros?|outras?|menos|não|nao|nunca|pare|por)\b|再|另|多|加|少|减|不|别|停|每|[€£¥]|r\$|\b(?:eur|euros?|brl|reais|rmb|cny|yuan|pounds?)\b|(?<!美)元|块/;
const AMOUNT = /(?<![\p{L}\d.,])(?:us)?\$?\s*(\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d{1,2})?|\d+)\s*([km])?(?!\d|[.,]\d|\s*%)/giu;

/**
 * Reads an answer in free words: a plain "stop", or exactly one amount that is more than what is used. Undefined for all else,
 * also for amounts that may be meant otherwise ("5 more", "not 20"): nothing is made up.
 */
export function readBudgetAnswer(text: string, used: number): BudgetAnswer | undefined {
  const plain = text
    .normalize("NFKC")
    .trim()
    .toLowerCase()
    .replace("por favor", "")
    .replace(/[\s.!。]+$/, "");
  if (STOP.test(plain)) return { stop: true };
  if (TURNED.test(plain)) return undefined;
  const amounts = [...plain.matchAll(AMOUNT)];
  if (amounts.length !== 1 || plain.replace(AMOUNT, "").match(/\d/)) return undefined;
  const [, number = "", scale] = amounts[0] ?? [];
  const to = toNumber(number) * (scale === "k" ? 1_000 : scale === "m" ? 1_000_000 : 1);
  return to > used ? { to } : undefined;
}

/** `1,500` is fifteen hundred, `1,5` one and a half. */
function toNumber(text: string): number {
  return Number(/,\d{3}(?:\D|$)/.test(text) ? text.replaceAll(",", "") : text.replace(",", "."));
}
