import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";
import { mailReceipt } from "../terminal/receipts.ts";

/** Sends mail to the run in this folder, or leaves it for its next start. Gives the exit code. */
export async function say(words: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found) return refuse(whyNoRemote(sight));
  if (found.remote) {
    const receipt = await found.remote.send(words);
    return tell(options, mailReceipt(t, receipt), receipt);
  }
  if (!found.isResumed) return refuse(t("cli.control.notResumed", { run: found.run }));
  const receipt = await found.files.send(words);
  return tell(options, t(found.isAlive ? "cli.say.left" : "cli.say.stored", { id: receipt.id }), receipt);
}
