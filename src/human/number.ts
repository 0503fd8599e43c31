/** The id after the highest one given so far: `q1`, `q2` …. */
export function nextId(letter: "q" | "m", taken: Iterable<{ readonly id: string }>): string {
  let highest = 0;
  for (const { id } of taken) highest = Math.max(highest, Number(id.slice(1)) || 0);
  return `${letter}${highest + 1}`;
}
