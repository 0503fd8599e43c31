import { readdir } from "node:fs/promises";
import { FlowerError } from "../core/errors.ts";

/** How runs are named, and their folders. */
export const RUN_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

const OURS = new Set(["lineage.json", "sessions.db"]);
/** What may stand there before the first of ours does. */
const NEUTRAL = /^(?:\.gitignore|\.ignore|\.DS_Store|aside|.*\.lock)$/;
const MOST_SHOWN = 3;

/**
 * Throws `bad-config` for a folder that is in use for something else: `runs` is a common name, and books in the midst of another's
 * files would hide them from Git, or mistake one for its own. A folder that is empty, or not there, is nobody's.
 */
export async function checkRunFolder(runDir: string): Promise<void> {
  const names = await readdir(runDir).catch(() => []);
  if (names.some((name) => OURS.has(name) || RUN_ID.test(name))) return;
  const foreign = names.filter((name) => !NEUTRAL.test(name));
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, MOST_SHOWN).join(", ") + (foreign.length > MOST_SHOWN ? ", …" : "");
  throw new FlowerError(
    "bad-config",
    `${runDir} holds files of something else (${shown}); a run's books need a folder of their own. Name another: -r .flower-runs on the command line, runDir in a program.`,
  );
}
