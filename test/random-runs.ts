/** How often a property is tried with random values. More for an hour of searching: `FLOWER_TEST_RUNS=20` tries it 20 times as often. */
export function runs(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(usual * Number(process.env["FLOWER_TEST_RUNS"] ?? 1)) };
}
