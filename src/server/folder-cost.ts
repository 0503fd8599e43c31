import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readEvents } from "../workbench/event-reader.ts";
import { type ManifestRow, readManifest } from "../workbench/manifest.ts";
import { eventsPath } from "../workbench/run-chain.ts";
import { EMPTY_STORY, reduceStory } from "./run-story.ts";
import { knownCost } from "./status-state.ts";

/** What was spent, in US dollars. */
export interface FolderCost {
  readonly usd: number;
  /** False when something was used whose price is unknown: then `usd` is a lower bound. */
  readonly complete: boolean;
  /** How many runs there were, side questions not counted as such. */
  readonly runs: number;
}

/**
 * What all runs whose books are in this folder have cost, side questions included. A run counts by its log, which also has what a
 * kill kept out of the manifest; one whose log is gone, by its rows there.
 */
export async function folderCost(runDir: string): Promise<FolderCost> {
  const own = await costsOf(runDir);
  const costs = [...own, ...(await costsOf(join(runDir, "aside")))];
  return { usd: costs.reduce((sum, cost) => sum + cost.usd, 0), complete: costs.every((cost) => cost.complete), runs: own.length };
}

type RunCost = Pick<FolderCost, "usd" | "complete">;

async function costsOf(runDir: string): Promise<readonly RunCost[]> {
  const names = await readdir(runDir).catch(() => []);
  const logged = names.filter((name) => existsSync(eventsPath(runDir, name)));
  const rows = (await readManifest(join(runDir, "manifest.json")).catch(() => undefined)) ?? [];
  const others = new Set(rows.map((row) => row.run).filter((run) => !logged.includes(run)));
  const byLog = await Promise.all(logged.map((run) => byEvents(eventsPath(runDir, run))));
  return [...byLog, ...[...others].map((run) => byRows(rows.filter((row) => row.run === run)))];
}

async function byEvents(path: string): Promise<RunCost> {
  let story = EMPTY_STORY;
  for await (const event of readEvents(path)) story = reduceStory(story, event);
  return knownCost(story.status) ?? { usd: 0, complete: true };
}

function byRows(rows: readonly ManifestRow[]): RunCost {
  const usd = rows.reduce((sum, row) => sum + (row.costUsd ?? 0), 0);
  return { usd, complete: rows.every((row) => row.costUsd !== undefined || row.usage === undefined) };
}
