import { readText, replaceFile } from "../core/files.ts";
import { splitAmendments } from "../human/amendments.ts";
import { type Language, translator } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import { type Ctx, runtimeOf, scopeOf } from "./ctx.ts";

/** What a person may have written into a document that is not complete; undefined when there is nothing. */
export async function unfinishedDocument(path: string, isComplete: (text: string) => boolean): Promise<string | undefined> {
  const text = await readText(path);
  if (text === undefined || isComplete(text) || splitAmendments(text).document.trim() === "") return undefined;
  return text;
}

/** Before an unfinished document is replaced: a copy of it stays beside it, and an event says where. */
export async function keepReplaced(path: string, text: string | undefined, language: Language, ctx: Ctx): Promise<void> {
  if (text === undefined) return;
  const now = runtimeOf(ctx)?.clock.now() ?? Date.now();
  const aside = `${path}.replaced-${new Date(now).toISOString().replaceAll(":", "")}`;
  await replaceFile(aside, text);
  const message = translator(language)("workflow.documentReplaced", { path, aside });
  scopeOf(ctx)?.emit(makeEvent("task", message, { type: "notice", code: "document-replaced", data: { path, aside } }));
}

/** Tells an agent of a document that a person began. */
export function unfinishedNote(path: string, text: string | undefined): string {
  return text === undefined
    ? ""
    : `\n\nAt ${path} lies a document that is not complete; a person may have written it. Read it first: what it says counts.`;
}
