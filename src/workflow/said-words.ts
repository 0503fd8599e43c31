import { readText } from "../core/files.ts";
import { type Amendment, splitAmendments } from "../human/amendments.ts";
import type { HumanChannel } from "../human/channel.ts";
import type { Ctx } from "./ctx.ts";

const KEY = "_said_before_round";

/** Before a round of work: what the brief holds of the person's words. What the work adds there, in this round or one before, is nobody's words. */
export async function noteSaid(channel: HumanChannel, ctx: Ctx): Promise<void> {
  ctx[KEY] = ctx[KEY] === undefined ? await readSaid(channel) : await saidWords(channel, ctx);
}

/** For a prompt that is sent now: everything the person has said, as it stands in the brief, and the mail that waits, which has arrived by that. */
export async function saidSoFar(channel: HumanChannel): Promise<readonly string[]> {
  await channel.flush();
  const mail = await channel.takeMail();
  return [...new Set([...(await readSaid(channel)), ...mail].map(({ text }) => text.trim()))];
}

/** The person's words in the brief, oldest first: those from before the round, and those that the channel has added since. */
export async function saidWords(channel: HumanChannel, ctx: Ctx): Promise<readonly Amendment[]> {
  await channel.flush();
  const before = (ctx[KEY] as readonly Amendment[] | undefined) ?? (await readSaid(channel));
  return [...byText([...before, ...channel.amendments]).values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Whether words stand in the brief that nobody said, or some that were said are gone. */
export async function isSaidOtherwise(channel: HumanChannel, ctx: Ctx): Promise<boolean> {
  const [known, found] = [byText(await saidWords(channel, ctx)), byText(await readSaid(channel))];
  return known.size !== found.size || [...found.keys()].some((key) => !known.has(key));
}

/** The prompt for work that ended its turn without having heard these words. */
export function finishedBefore(words: readonly string[]): string {
  return `You had finished when the person said:\n\n${words.join("\n\n")}\n\nTake it into account and finish again.`;
}

async function readSaid({ amendPath }: HumanChannel): Promise<readonly Amendment[]> {
  return amendPath === undefined ? [] : splitAmendments((await readText(amendPath)) ?? "").amendments;
}

function byText(amendments: readonly Amendment[]): ReadonlyMap<string, Amendment> {
  return new Map(
    amendments.map((amendment) => [JSON.stringify([amendment.at, amendment.text.replaceAll("\r\n", "\n").trim()]), amendment]),
  );
}
