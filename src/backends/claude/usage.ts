import { isRecord } from "../../core/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../messages/usage.ts";

/** Usage of one model call as the Messages API reports it; undefined when there is none. Without a cost: nobody has priced it yet. */
export function toUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage) || typeof usage["input_tokens"] !== "number") return undefined;
  return {
    inputTokens: amount(usage["input_tokens"]),
    cacheReadTokens: amount(usage["cache_read_input_tokens"]),
    cacheWriteTokens: amount(usage["cache_creation_input_tokens"]),
    outputTokens: amount(usage["output_tokens"]),
  };
}

/** What a query's `result` says it spent, subagents included: of this query alone, also in a session that has spent before. */
export function spentIn(result: Readonly<Record<string, unknown>>): Usage | undefined {
  const byModel = result["model_usage_since_last_result"] ?? result["modelUsage"];
  if (!isRecord(byModel)) return undefined;
  return Object.values(byModel).reduce<Usage>((sum, one) => (isRecord(one) ? addUsage(sum, modelUsage(one)) : sum), NO_USAGE);
}

function modelUsage(of: Readonly<Record<string, unknown>>): Usage {
  const costUsd = of["costUSD"];
  const isPriced = of["costBasis"] !== "unknown"; // else costUSD is a guess
  return {
    inputTokens: amount(of["inputTokens"]),
    cacheReadTokens: amount(of["cacheReadInputTokens"]),
    cacheWriteTokens: amount(of["cacheCreationInputTokens"]),
    outputTokens: amount(of["outputTokens"]),
    ...(isPriced && typeof costUsd === "number" ? { costUsd: amount(costUsd) } : {}),
  };
}

function amount(value: unknown): number {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}
