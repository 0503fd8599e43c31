import type { Resilience } from "../runtime/resilience.ts";

/** `FLOWER_RETRY_DELAY_MS`: milliseconds before the second attempt, doubled each time (default 4000). */
export function resilienceFrom(env: Readonly<Record<string, string | undefined>>): Partial<Resilience> {
  const delayMs = Number(env["FLOWER_RETRY_DELAY_MS"] ?? "");
  return env["FLOWER_RETRY_DELAY_MS"] !== undefined && Number.isFinite(delayMs) && delayMs >= 0 ? { delayMs } : {};
}
