import { stat, utimes } from "node:fs/promises";
import { readText, replaceFile } from "../core/files.ts";
import type { HumanChannel } from "../human/channel.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { Ctx, Scope } from "./ctx.ts";

/** The goal file as it was when a round of work began. A person may edit it between rounds and runs; work may not. */
interface Sealed {
  readonly text: string;
  readonly mtime: Date;
}

const SEAL_KEY = "_goal_seal";
const SHOWN_LINES = 20;

/** Remembers the goal file before a round of work. */
export async function sealGoal(path: string, ctx: Ctx): Promise<void> {
  const text = await readText(path);
  ctx[SEAL_KEY] = text === undefined ? undefined : ({ text, mtime: (await stat(path)).mtime } satisfies Sealed);
}

/**
 * After a round: a goal file that has changed while the work ran is shown to the person, who says which version counts. Nobody
 * answers → the sealed one; the other is kept beside it.
 */
export async function checkSeal(path: string, ctx: Ctx, scope: Scope, channel: HumanChannel, t: Translate): Promise<void> {
  const sealed = ctx[SEAL_KEY] as Sealed | undefined;
  if (!sealed) return;
  const now = (await readText(path)) ?? "";
  if (now === sealed.text) return utimes(path, sealed.mtime, sealed.mtime);
  const options = [t("goal.keepSealed"), t("goal.takeChanged")];
  const question = t("goal.changedDuringWork", { path, changes: changedLines(sealed.text, now) });
  const asking = channel.ask(question, { options, purpose: "goal", path: [scope.step], signal: scope.signal });
  const asked = await asking.catch((error: unknown) => ({ error }) as const);
  if (!("error" in asked) && asked.state === "answered" && asked.answer === options[1]) return;
  const aside = `${path}.changed-during-work`;
  await replaceFile(aside, now);
  await replaceFile(path, sealed.text);
  await utimes(path, sealed.mtime, sealed.mtime);
  scope.emit(
    makeEvent("task", t("goal.sealedCounts", { path, aside }), { type: "notice", code: "goal-changed-during-work", data: { aside } }),
  );
  if ("error" in asked) throw asked.error;
}

/** Lines that went and lines that came, the first twenty. */
export function changedLines(before: string, after: string): string {
  const old = before.split("\n");
  const fresh = after.split("\n");
  const lines = [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
  return [...lines.slice(0, SHOWN_LINES), ...(lines.length > SHOWN_LINES ? ["…"] : [])].join("\n");
}
