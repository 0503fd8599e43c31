import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";

/** Sends mail to the run in this folder, or leaves it for its next start. Gives the exit code. */
export async function say(words: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found) return refuse(whyNoRemote(sight));
  if (found.remote) {
    const receipt = await found.remote.send(words);
    const { id, amended } = receipt;
    return tell(options, amended === "" ? t("ui.mail.unsaved", { id }) : t("ui.mail.saved", { id, path: amended }), receipt);
  }
  if (!found.isResumed) return refuse(t("cli.control.notResumed", { run: found.run }));
  const receipt = await found.files.send(words);
  return tell(options, t(found.isAlive ? "cli.say.left" : "cli.say.stored", { id: receipt.id }), receipt);
}
