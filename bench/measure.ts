/** How long to go on. */
export interface Budget {
  readonly warmUpMs?: number;
  readonly measureMs?: number;
  /** Measure at least so often. */
  readonly least?: number;
}

/**
 * Has `work` give its figure again and again, first to warm up, then to measure; the median of what was measured. Garbage is left to
 * be collected as it comes: a forced collection also throws compiled code away, and what follows runs up to five times slower.
 */
export async function repeat(work: () => Promise<number>, budget: Budget = {}): Promise<number> {
  const { warmUpMs = 1_000, measureMs = 1_500, least = 3 } = budget;
  await gather(work, warmUpMs, 1);
  return median(await gather(work, measureMs, least));
}

async function gather(work: () => Promise<number>, ms: number, least: number): Promise<number[]> {
  const figures: number[] = [];
  const end = performance.now() + ms;
  while (figures.length < least || performance.now() < end) {
    figures.push(await work());
  }
  return figures;
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds that `work` took. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
