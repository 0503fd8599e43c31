import { lstat, rm, stat, utimes } from "node:fs/promises";
import { readText, replaceFile } from "../core/files.ts";
import { isRecord, parseJson } from "../core/json.ts";
import type { HumanChannel } from "../human/channel.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { Scope } from "./ctx.ts";

/** A goal file as it was when a round of work began. A person may edit it between rounds and runs; work may not. */
interface Sealed {
  /** Undefined when there was none. */
  readonly text: string | undefined;
  readonly isLink: boolean;
  /** Its time, in milliseconds. */
  readonly mtime: number;
}

const SHOWN_LINES = 20;

/** Remembers the goal file before a round of work, for later processes too. */
export async function sealGoal(path: string, scope: Scope): Promise<void> {
  await scope.keepDocument("seal", JSON.stringify({ path, ...(await look(path)) }));
}

/** After a round that nobody judges: what is as it was is open to a person's edits again. A change is asked about before anybody works or judges. */
export async function loosenSeal(path: string, scope: Scope): Promise<void> {
  const sealed = readSealed(path, scope);
  if (sealed && isSame(sealed, await look(path))) await unseal(path, sealed, scope);
}

/**
 * After a round, or before the next thing is done when a round was cut short: a goal file that has changed while the work ran is shown
 * to the person, who says which version counts. Nobody answers → the sealed one; the other is kept beside it.
 */
export async function checkSeal(path: string, scope: Scope, channel: HumanChannel, t: Translate): Promise<void> {
  const sealed = readSealed(path, scope);
  if (!sealed) return;
  const now = await look(path);
  if (isSame(sealed, now)) return unseal(path, sealed, scope);
  const options = [t("goal.keepSealed"), t("goal.takeChanged")];
  const question = t("goal.changedDuringWork", { path, changes: changedLines(sealed.text ?? "", now.text ?? "") });
  const asked = await channel.ask(question, { options, purpose: "goal", path: [scope.step], signal: scope.signal });
  if (asked.state === "answered" && asked.answer === options[1]) return void (await scope.keepDocument("seal", ""));
  const aside = `${path}.changed-during-work`;
  await replaceFile(aside, now.text ?? "");
  await rm(path, { recursive: true, force: true }); // it may have become a link to a file that is nobody's to write
  if (sealed.text !== undefined) await replaceFile(path, sealed.text);
  await unseal(path, sealed, scope);
  const data = { type: "notice", code: "goal-changed-during-work", data: { aside } } as const;
  scope.emit(makeEvent("task", t("goal.sealedCounts", { path, aside }), data));
}

/** The time that the file had says until when the person has been heard. */
async function unseal(path: string, { text, mtime }: Sealed, scope: Scope): Promise<void> {
  if (text !== undefined) await utimes(path, new Date(mtime), new Date(mtime));
  await scope.keepDocument("seal", "");
}

async function look(path: string): Promise<Sealed> {
  const found = await lstat(path).catch(() => undefined);
  const text = found?.isDirectory() ? undefined : await readText(path);
  const mtime = text === undefined ? 0 : Math.round((await stat(path)).mtimeMs);
  return { text, isLink: found?.isSymbolicLink() ?? false, mtime };
}

function readSealed(path: string, scope: Scope): Sealed | undefined {
  const known: unknown = parseJson(scope.document("seal") ?? "");
  if (!isRecord(known) || known["path"] !== path) return undefined;
  const { text, isLink, mtime } = known;
  return { text: typeof text === "string" ? text : undefined, isLink: isLink === true, mtime: Number(mtime) };
}

function isSame(sealed: Sealed, now: Sealed): boolean {
  return sealed.text === now.text && sealed.isLink === now.isLink;
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
