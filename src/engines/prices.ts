import type { ModelInfo, Provider } from "@pydantic/genai-prices";
import { contextTokens, totalTokens, type Usage } from "../messages/usage.ts";

type PriceList = typeof import("@pydantic/genai-prices");

let loading: Promise<PriceList> | undefined;

/** Loads the price list (about 50 ms), once; calling it early hides that behind a request. */
export function loadPrices(): Promise<PriceList> {
  loading ??= import("@pydantic/genai-prices");
  return loading;
}

/**
 * What this usage costs in US dollars. Undefined when the provider or the model is not in the price list, or when no tokens
 * were reported: that is not knowing, not nothing. Never throws.
 */
export async function costOf(provider: string, model: string, usage: Usage, endpoint?: string): Promise<number | undefined> {
  if (totalTokens(usage) === 0) return undefined;
  try {
    const prices = await loadPrices();
    const seller = findSeller(prices, provider, endpoint);
    if (!seller) return undefined;
    const counted = {
      input_tokens: contextTokens(usage),
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      output_tokens: usage.outputTokens,
    };
    return prices.calcPrice(counted, bareId(model), { provider: seller })?.total_price;
  } catch {
    return undefined;
  }
}

/** The model's context window in tokens; undefined when it is not known. Never throws. */
export async function windowOf(provider: string, model: string, endpoint?: string): Promise<number | undefined> {
  try {
    const prices = await loadPrices();
    const seller = findSeller(prices, provider, endpoint);
    return seller && modelInfo(prices, seller, model)?.context_window;
  } catch {
    return undefined;
  }
}

/** Pricing an empty usage is the list's way of matching a model id. */
function modelInfo(prices: PriceList, seller: Provider, model: string): ModelInfo | undefined {
  return prices.calcPrice({ input_tokens: 0, output_tokens: 0 }, bareId(model), { provider: seller })?.model;
}

const SELLERS: Readonly<Record<string, string>> = { gemini: "google", xai: "x-ai" };

/** Only a known seller prices a model: the same id served elsewhere (a local server) costs something else. */
function findSeller(prices: PriceList, provider: string, endpoint: string | undefined): Provider | undefined {
  const byName = prices.findProvider({ providerId: SELLERS[provider] ?? provider });
  if (byName) return byName;
  return endpoint === undefined ? undefined : prices.findProvider({ providerApiUrl: endpoint });
}

function bareId(model: string): string {
  return model.replace(/^models\//, "");
}
