import type { Resilience } from "../runtime/resilience.ts";

/**
 * In milliseconds: `FLOWER_RETRY_DELAY_MS` before the second attempt, doubled each time (default 4000), `FLOWER_PROBE_MS` between two
 * looks for the network (default 15000), `FLOWER_OFFLINE_LIMIT_MS` until a run without one parks (default 3600000).
 */
export function resilienceFrom(env: Readonly<Record<string, string | undefined>>): Partial<Resilience> {
  const given = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const text = env[variable]?.trim();
    const ms = Number(text);
    return text && Number.isFinite(ms) && ms >= 0 ? [[name, ms]] : [];
  });
  return Object.fromEntries(given);
}

const VARIABLES = {
  delayMs: "FLOWER_RETRY_DELAY_MS",
  probeEveryMs: "FLOWER_PROBE_MS",
  offlineLimitMs: "FLOWER_OFFLINE_LIMIT_MS",
} as const satisfies Partial<Record<keyof Resilience, string>>;
