import { addUsage, NO_USAGE, totalTokens, type Usage } from "../messages/usage.ts";

/** Limits of a run or of one query. */
export interface BudgetLimits {
  readonly usd?: number;
  /** Input (cached or not) and output tokens together. */
  readonly tokens?: number;
}

/** What a query has spent so far, and where it counts. */
export interface BudgetEntry {
  /** Replaces the query's running figure. */
  update(usage: Usage): void;
}

/**
 * Adds up what a run spends: settled queries and those under way, failed and interrupted ones included. What earlier runs of the
 * chain spent counts against the limits, and is no part of `total`.
 */
export class BudgetLedger {
  readonly #spent = new Map<object, Usage>();
  readonly #earlier: Usage[] = [];
  #limits: BudgetLimits;
  /** Limits for which the warning was given, and models whose missing price was told. */
  readonly #told = new Set<string>();

  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  get limits(): BudgetLimits {
    return this.#limits;
  }

  /** A person lets the run spend more: the new limit in total. */
  raise(limit: LimitReached["limit"], to: number): void {
    this.#limits = { ...this.#limits, [limit]: to };
  }

  /** Opens the account of one query. */
  open(): BudgetEntry {
    const key = {};
    this.#spent.set(key, NO_USAGE);
    return { update: (usage) => this.#spent.set(key, usage) };
  }

  /** Adds a query of an earlier run. */
  carry(usage: Usage): void {
    this.#earlier.push(usage);
  }

  get total(): Usage {
    return sum(this.#spent.values());
  }

  /** Which limit has been reached, or undefined. A query of unknown price does not hide what the others are known to have cost. */
  reached(): LimitReached | undefined {
    return limitReached(this.#known, this.#limits);
  }

  /** A limit of which 80 % are used and that is not reached; each is given once. */
  warning(): LimitReached | undefined {
    return nearLimits(this.#known, this.#limits).find(({ limit, of }) => this.#isNews(`${limit} ${of}`));
  }

  /** True the first time that this model turns out to have no known price although there is a limit in dollars. */
  isUnpriced(model: string): boolean {
    return this.#limits.usd !== undefined && this.#isNews(`model ${model}`);
  }

  #isNews(key: string): boolean {
    const isNews = !this.#told.has(key);
    this.#told.add(key);
    return isNews;
  }

  /** Everything that counts, with the money that is known to be spent. */
  get #known(): Usage {
    const all = [...this.#earlier, ...this.#spent.values()];
    const known = all.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
    return { ...sum(all), costUsd: known.length === 0 ? undefined : known.reduce((total, usd) => total + usd, 0) };
  }
}

function sum(usages: Iterable<Usage>): Usage {
  let total = NO_USAGE;
  for (const usage of usages) total = addUsage(total, usage);
  return total;
}

const WARN_AT = 0.8;

/** The limits of which four fifths are used and that are not reached yet. */
function nearLimits(usage: Usage, limits: BudgetLimits): readonly LimitReached[] {
  return (["usd", "tokens"] as const).flatMap((limit) => {
    const of = limits[limit];
    const used = limit === "usd" ? usage.costUsd : totalTokens(usage);
    return of !== undefined && used !== undefined && used < of && used >= of * WARN_AT ? [{ limit, used, of }] : [];
  });
}

export interface LimitReached {
  readonly limit: "usd" | "tokens";
  readonly used: number;
  readonly of: number;
}

/** Whether usage has reached a limit. An unknown cost reaches no limit in money: it is unknown, not 0 and not infinite. */
export function limitReached(usage: Usage, limits: BudgetLimits): LimitReached | undefined {
  if (limits.usd !== undefined && usage.costUsd !== undefined && usage.costUsd >= limits.usd) {
    return { limit: "usd", used: usage.costUsd, of: limits.usd };
  }
  const tokens = totalTokens(usage);
  if (limits.tokens !== undefined && tokens >= limits.tokens) return { limit: "tokens", used: tokens, of: limits.tokens };
  return undefined;
}

/** An amount of a limit as people write it: `$1.20`, `120,000 tokens`. */
export function describeAmount(limit: LimitReached["limit"], amount: number): string {
  return limit === "usd" ? `$${amount.toFixed(2)}` : `${amount.toLocaleString("en-US")} tokens`;
}

/** `$1.2345 of $1.00` or `120,000 of 100,000 tokens`. */
export function describeLimit(reached: LimitReached): string {
  if (reached.limit === "usd") return `$${reached.used.toFixed(4)} of $${reached.of.toFixed(2)}`;
  return `${reached.used.toLocaleString("en-US")} of ${reached.of.toLocaleString("en-US")} tokens`;
}
