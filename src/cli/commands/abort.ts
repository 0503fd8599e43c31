import { sleep, systemClock } from "../../core/clock.ts";
import { readRunLocks } from "../../workbench/run-lock.ts";
import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";

const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/** Ends the run in this folder and waits until its place is free. Gives the exit code. */
export async function abort(words: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, place, t } = sight;
  if (!found?.remote) return refuse(whyNoRemote(sight));
  const { run } = found;
  await found.remote.abort(words);
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(systemClock, LOOK_MS)) {
    const alive = await readRunLocks(place.runDir);
    if (alive.every((holder) => holder.runId !== run)) return tell(options, t("cli.abort.done", { run }), { ok: true, run });
  }
  return refuse(t("cli.abort.told", { run }));
}
