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

/** Adds up what a run spends: settled queries and those under way, failed and interrupted ones included. */
export class BudgetLedger {
  readonly limits: BudgetLimits;
  readonly #spent = new Map<object, Usage>();

  constructor(limits: BudgetLimits = {}) {
    this.limits = limits;
  }

  /** Opens the account of one query. */
  open(): BudgetEntry {
    const key = {};
    this.#spent.set(key, NO_USAGE);
    return { update: (usage) => this.#spent.set(key, usage) };
  }

  get total(): Usage {
    let total = NO_USAGE;
    for (const usage of this.#spent.values()) total = addUsage(total, usage);
    return total;
  }

  /** Which limit has been reached, or undefined. A query of unknown price does not hide what the others are known to have cost. */
  reached(): LimitReached | undefined {
    const { total } = this;
    return limitReached(total.costUsd === undefined ? { ...total, costUsd: this.#knownUsd() } : total, this.limits);
  }

  #knownUsd(): number | undefined {
    const known = [...this.#spent.values()].flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
    return known.length === 0 ? undefined : known.reduce((sum, usd) => sum + usd, 0);
  }
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

/** `$1.2345 of $1.00` or `120,000 of 100,000 tokens`. */
export function describeLimit(reached: LimitReached): string {
  if (reached.limit === "usd") return `$${reached.used.toFixed(4)} of $${reached.of.toFixed(2)}`;
  return `${reached.used.toLocaleString("en-US")} of ${reached.of.toLocaleString("en-US")} tokens`;
}
