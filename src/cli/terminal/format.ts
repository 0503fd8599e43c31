/** `840`, `62k`, `1.2M`: tokens for a glance. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `$0.42`; four digits below one cent, so that a cheap run does not look free; `≥ $0.42` when there is more of an unknown price. */
export function formatCost(usd: number, isComplete = true): string {
  return `${isComplete ? "" : "≥ "}$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}

/** `8s`, `3m12s`, `2h05m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${twoDigits(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, "0");
}
