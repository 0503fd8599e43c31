import { readAnswer } from "../../server/read-answer.ts";
import { lookForRun, type PlaceOptions, refuse, tell, whyNoRemote } from "../control-place.ts";

/** Answers a question of the run in this folder, or leaves the answer for its next start. Gives the exit code. */
export async function answer(id: string, words: string, options: PlaceOptions): Promise<number> {
  const sight = await lookForRun(options);
  const { found, t } = sight;
  if (!found) return refuse(whyNoRemote(sight));
  if (!found.remote && !found.isResumed) return refuse(t("cli.control.notResumed", { run: found.run }));
  const door = found.remote ?? found.files;
  const asks = await door.asks();
  const ask = asks.find((each) => each.id === id);
  const open = asks.filter((each) => each.state === "asked").map((each) => each.id);
  if (!ask) return refuse(t(open.length === 0 ? "cli.answer.noneOpen" : "cli.answer.unknown", { id, open: open.join(", ") }));
  const read = ask.state === "asked" ? readAnswer(ask, words, t) : { text: words };
  if ("refusal" in read) return refuse(read.refusal);
  const { text } = read;
  if (!(await door.answer(id, text))) return refuse(t("cli.answer.settled", { id }));
  return tell(options, t(found.isAlive ? "cli.answer.done" : "cli.answer.stored", { id, answer: text }), { ok: true, answer: text });
}
