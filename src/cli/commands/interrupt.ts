import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";
import { interruptReceipt } from "../terminal/receipts.ts";

/** Stops the run in this folder at its next boundary and gives it the words. Gives the exit code. */
export async function interrupt(words: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found?.remote) return refuse(whyNoRemote(sight));
  const receipt = await found.remote.interrupt(words);
  return tell(options, interruptReceipt(t, words, receipt), receipt);
}
