import { editDistance } from "../core/edit-distance.ts";

/**
 * The command that was meant by words that are none but look like one: a word alone, or one before a question's number, that is a
 * slip or two away from a command's name (of short names one). Words that are a job have a blank in them.
 */
export function nearCommand(words: readonly string[], names: readonly string[]): string | undefined {
  const [word = "", ...others] = words.join(" ").trim().toLowerCase().split(/\s+/);
  if (word === "" || (others.length > 0 && !/^q\d+$/.test(others[0] ?? ""))) return undefined;
  const near = names.map((name) => ({ name, distance: editDistance(word, name) }));
  const [best] = near.filter(({ name, distance }) => distance <= (name.length < 5 ? 1 : 2)).toSorted((a, b) => a.distance - b.distance);
  return best?.name;
}
