import type { FlowerError } from "../core/errors.ts";

/** How transient failures are retried. */
export interface Resilience {
  /** In a row, without a reply between them; the first attempt included. Default 6. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt; doubled each time. Default 4,000. */
  readonly delayMs: number;
  /** The longest delay in milliseconds. Default 120,000. */
  readonly maxDelayMs: number;
  /** Each delay varies by up to this part of itself, so that many clients do not come back at once. Default 0.25. */
  readonly jitter: number;
  /** Milliseconds between two looks whether the provider can be reached again. Default 15,000. */
  readonly probeEveryMs: number;
  /**
   * How long a provider may be out of reach, in milliseconds, before the run is parked. Default 3,600,000 (an hour). 0: it is not
   * waited for; being offline is then a failure like others.
   */
  readonly offlineLimitMs: number;
}

export const DEFAULT_RESILIENCE: Resilience = Object.freeze({
  maxAttempts: 6,
  delayMs: 4_000,
  maxDelayMs: 120_000,
  jitter: 0.25,
  probeEveryMs: 15_000,
  offlineLimitMs: 3_600_000,
});

/** Milliseconds to wait before attempt number `attempt` (from 2). What the provider asked for (Retry-After) is never undercut. */
export function retryDelay(error: FlowerError, attempt: number, resilience: Resilience, random: () => number = Math.random): number {
  const base = Math.min(resilience.delayMs * 2 ** (attempt - 2), resilience.maxDelayMs);
  const delay = base * (1 + resilience.jitter * (2 * random() - 1));
  const asked = error.details["retryAfterMs"];
  return Math.round(typeof asked === "number" && asked > 0 ? Math.max(asked, delay) : delay);
}
