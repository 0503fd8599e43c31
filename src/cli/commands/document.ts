import { basename } from "node:path";
import { readText } from "../../core/files.ts";
import { LANGUAGES, type Language } from "../../i18n/catalogue.ts";
import { wakeState } from "../../workbench/lineage.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { changedLines } from "../../workflow/goal-seal.ts";
import { lookForRun, type PlaceOptions, type RunSight, refuse, tell } from "../control-place.ts";
import type { DocumentKind } from "../documents/document-kind.ts";
import { type Draft, editDraft, openDraft, wantsAgain } from "../documents/edit-text.ts";
import { reopen, takeIn } from "../documents/reopen.ts";
import { saveDocument } from "../documents/save-document.ts";

export interface DocumentOptions extends PlaceOptions {
  readonly edit: boolean;
}

/** Shows a document of this folder, or has the person edit it. Gives the exit code. */
export async function document(kind: DocumentKind, options: DocumentOptions): Promise<number> {
  const sight = await lookForRun(options);
  const place = await placeOf(kind, sight);
  if (options.edit) return edit(kind, place, sight, options);
  const { path, text } = place;
  if (text === undefined) return refuse(sight.t("cli.document.none", { name: kind.name }));
  return tell(options, text.trimEnd(), { path, ...kind.data(text) });
}

interface Found {
  readonly path: string;
  readonly text: string | undefined;
  readonly language: Language;
}

/** The document in the language of what was begun here, else in whichever it lies; where none is, where one would be. */
async function placeOf(kind: DocumentKind, { place, language }: RunSight): Promise<Found> {
  const workbench = new Workbench(place.workspace, { language });
  const begun = (await wakeState(place.workspace, place.runDir)).workflows["go"]?.language;
  const first = begun ?? language;
  for (const each of [first, ...LANGUAGES]) {
    const path = kind.path(workbench, each);
    const text = await readText(path);
    if (text !== undefined) return { path, text, language: each };
  }
  return { path: kind.path(workbench, first), text: undefined, language: first };
}

async function edit(kind: DocumentKind, found: Found, sight: RunSight, options: DocumentOptions): Promise<number> {
  const { t } = sight;
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!editor) return refuse(t("cli.document.noEditor"));
  const before = found.text ?? "";
  let draft = await openDraft(basename(found.path), found.text ?? kind.skeleton(found.language));
  const began = draft.text;
  for (;;) {
    const edited = await editDraft(draft, editor);
    if ("failed" in edited) return keep(draft, t("cli.document.editorFailed", { reason: edited.failed }), sight);
    draft = edited;
    if (draft.text === began) return drop(draft, t("cli.document.unchanged"), found, options);
    const problems = kind.problems(draft.text, t);
    if (problems.length === 0) break;
    const missing = t("cli.document.missing", { parts: problems.join("; ") });
    if (!process.stdin.isTTY || !process.stdout.isTTY) return keep(draft, missing, sight);
    process.stdout.write(`${missing}\n`);
    if (!(await wantsAgain(t))) return keep(draft, missing, sight);
  }
  const isSaved = await saveDocument({ path: found.path, before, after: draft.text }, found.language);
  if (!isSaved) return keep(draft, t("cli.document.raced", { path: found.path }), sight);
  if (kind.name === "brief") await takeIn(sight.place, before, draft.text);
  const follows = await spread(kind, changedLines(before, draft.text), sight);
  return drop(draft, [t("cli.document.saved", { path: found.path }), ...follows].join("\n"), found, options);
}

async function drop(draft: Draft, text: string, { path }: Found, options: DocumentOptions): Promise<number> {
  await draft.discard();
  return tell(options, text, { path });
}

/** What the person wrote is theirs: it stays where it lies. */
function keep({ path }: Draft, why: string, { t }: RunSight): number {
  return refuse(`${why}\n${t("cli.document.kept", { path })}`);
}

/** Lets those know that work by the document; gives what the person should know of it. */
async function spread(kind: DocumentKind, changes: string, { found, place, t }: RunSight): Promise<readonly string[]> {
  const words = t(`${kind.name}.edited`, { changes });
  if (found?.isAlive && kind.name === "goal") return [t("cli.goal.sealed")];
  if (found?.isAlive) {
    const { id } = await (found.remote ?? found.files).send(words);
    return [t("cli.brief.sent", { id })];
  }
  return (await reopen(place, kind.name, words)) ? [t(`cli.${kind.name}.reopened`)] : [];
}
