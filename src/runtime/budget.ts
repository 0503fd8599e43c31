import { checkOptions } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../messages/usage.ts";
import { type CallCost, Reserves } from "./reserve.ts";

/** Limits of a run or of one query. */
export interface BudgetLimits {
  readonly usd?: number;
  /** Input (cached or not) and output tokens together. */
  readonly tokens?: number;
  /** Milliseconds by the clock on the wall since the Runtime was made, waiting included; no model call begins after them. */
  readonly wallMs?: number;
}

export const LIMIT_KINDS = ["usd", "tokens", "wallMs"] as const satisfies readonly (keyof BudgetLimits)[];

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
  /** What calls under way may still take. */
  readonly reserves = new Reserves();
  readonly #wall: () => number;
  #refused: LimitReached | undefined;

  /** Without a clock no time passes. Throws `bad-config` for a limit that does not exist or is no amount. */
  constructor(limits: BudgetLimits = {}, clock?: Clock) {
    checkOptions("budget", limits, { usd: "amount", tokens: "amount", wallMs: "amount" });
    this.#limits = limits;
    const startedAt = clock?.now() ?? 0;
    this.#wall = () => (clock?.now() ?? 0) - startedAt;
  }

  get limits(): BudgetLimits {
    return this.#limits;
  }

  /** A person lets the run spend more: the new limit in total. */
  raise(limit: LimitReached["limit"], to: number): void {
    this.#limits = { ...this.#limits, [limit]: to };
    this.#refused = undefined;
  }

  /** The limit because of which a call was not made, until it is raised. */
  get refused(): LimitReached | undefined {
    return this.#refused;
  }

  noteRefusal(refused: LimitReached | undefined): void {
    this.#refused = refused ?? this.#refused;
  }

  /** The limit that such a call could exceed, with what is spent and, if given, what is set aside for others. */
  lacks(call: CallCost, others?: CallCost): LimitReached | undefined {
    const { usd, tokens } = this.#limits;
    const known = this.#known;
    const spent = known.costUsd ?? 0;
    if (usd !== undefined && call.usd !== undefined && exceeds(spent + (others?.usd ?? 0) + call.usd, usd)) {
      return { limit: "usd", used: spent, of: usd, next: call.usd };
    }
    const used = totalTokens(known);
    if (tokens !== undefined && used + (others?.tokens ?? 0) + call.tokens > tokens) {
      return { limit: "tokens", used, of: tokens, next: call.tokens };
    }
    return undefined;
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
    const { wallMs } = this.#limits;
    const wall = this.#wall();
    const isLate = wallMs !== undefined && wall >= wallMs;
    return limitReached(this.#known, this.#limits) ?? (isLate ? { limit: "wallMs", used: wall, of: wallMs } : undefined);
  }

  /** A limit of which 80 % are used and that is not reached; each is given once. */
  warning(): LimitReached | undefined {
    return nearLimits(this.#known, this.#wall(), this.#limits).find(({ limit, of }) => this.#isNews(`${limit} ${of}`));
  }

  /** True the first time that this limit turns out to be reached: several steps may find it out, and one that is raised can be reached again. */
  isFirst({ limit, of }: LimitReached): boolean {
    return this.#isNews(`reached ${limit} ${of}`);
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
function nearLimits(usage: Usage, wallMs: number, limits: BudgetLimits): readonly LimitReached[] {
  const spent = { usd: usage.costUsd, tokens: totalTokens(usage), wallMs };
  return LIMIT_KINDS.flatMap((limit) => {
    const of = limits[limit];
    const used = spent[limit];
    return of !== undefined && used !== undefined && used < of && used >= of * WARN_AT ? [{ limit, used, of }] : [];
  });
}

export interface LimitReached {
  readonly limit: (typeof LIMIT_KINDS)[number];
  readonly used: number;
  readonly of: number;
  /** It is not reached yet, but the next call could take this much, and is not made. */
  readonly next?: number;
}

/** Sums of prices are not exact; a millionth of a cent is no excess. */
function exceeds(sum: number, limit: number): boolean {
  return sum > limit + 1e-8;
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

/** An amount of a limit as people write it: `$1.20`, `120,000 tokens`, `90 min`. */
export function describeAmount(limit: LimitReached["limit"], amount: number): string {
  if (limit === "wallMs") return `${Number((amount / 60_000).toFixed(1))} min`;
  return limit === "usd" ? `$${amount.toFixed(2)}` : `${amount.toLocaleString("en-US")} tokens`;
}

/** `$1.2345 of $1.00` or `120,000 of 100,000 tokens`, and what the next call could take when that is the reason. */
export function describeLimit(reached: LimitReached): string {
  const { limit, used, of, next } = reached;
  const said = limit === "usd" ? `$${used.toFixed(4)} of $${of.toFixed(2)}` : `${bare(limit, used)} of ${describeAmount(limit, of)}`;
  if (next === undefined) return said;
  return `${said}; the next call could take ${limit === "usd" ? `$${next.toFixed(4)}` : describeAmount(limit, next)}`;
}

function bare(limit: LimitReached["limit"], amount: number): string {
  return describeAmount(limit, amount).replace(/ \w+$/, "");
}
