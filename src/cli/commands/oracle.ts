import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";

/** Asks about the run in this folder on the side; the run does not notice. Gives the exit code. */
export async function oracle(question: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found?.remote) return refuse(whyNoRemote(sight));
  const reply = await found.remote.oracle(question);
  if (!reply.ok) return refuse(t("cli.oracle.failed", { reason: reply.errorKind ?? "unknown" }));
  return tell(options, reply.text, reply);
}
