/** Tokens and money of one or more model calls. The three input figures do not overlap. */
export interface Usage {
  /** Input tokens that were neither read from nor written to the provider's prompt cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Output tokens, reasoning included. */
  readonly outputTokens: number;
  /** US dollars; undefined when the model's price is unknown. Never 0 for "unknown". */
  readonly costUsd?: number;
}

export const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costUsd: 0 });

/** True for complete figures: numbers that are finite and not negative; the cost may be missing. */
export function isUsage(value: unknown): value is Usage {
  if (typeof value !== "object" || value === null) return false;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = value as Partial<Usage>;
  const counted = isAmount(inputTokens) && isAmount(cacheReadTokens) && isAmount(cacheWriteTokens) && isAmount(outputTokens);
  return counted && (costUsd === undefined || isAmount(costUsd));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** The sum. Cost is known only when both costs are. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd = a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** The context level of one model call, in tokens: everything that was input, cached or not. */
export function contextTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** All tokens that a limit in tokens counts: input (cached or not) and output. */
export function totalTokens(usage: Usage): number {
  return contextTokens(usage) + usage.outputTokens;
}
