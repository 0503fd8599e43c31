import { readdir } from "node:fs/promises";
import { basename, dirname, join, parse } from "node:path";
import { editDistance } from "../../core/edit-distance.ts";

const MOST_NAMES = 3;

/** Existing paths beside a missing one whose names are much like it, best first. */
export async function nearNames(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const wanted = basename(path).toLowerCase();
  const names = await readdir(folder).catch(() => [] as string[]);
  return names
    .map((name) => ({ name, distance: distanceOf(name.toLowerCase(), wanted) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(wanted.length / 4)))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, MOST_NAMES)
    .map(({ name }) => join(folder, name));
}

function distanceOf(a: string, b: string): number {
  return parse(a).name === parse(b).name ? 0 : editDistance(a, b);
}
