import { readText } from "../core/files.ts";
import { splitAmendments } from "../human/amendments.ts";
import type { Translate } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { Scope } from "./ctx.ts";

/** The brief without what people added at its end: the part in which an edit by hand can be seen. Undefined when there is none. */
export async function readBrief(path: string | undefined): Promise<string | undefined> {
  const text = path === undefined ? undefined : await readText(path);
  return text === undefined ? undefined : briefPart(text);
}

export function briefPart(text: string): string {
  return splitAmendments(text).document.trim();
}

/**
 * After a round: a brief that has changed while the work ran may have been changed by the work. It is taken as it is, the goal is not
 * amended by it, and the person is told. `isSaidOtherwise`: the words at its end are not those that the person said.
 */
export async function watchBrief(path: string | undefined, scope: Scope, t: Translate, isSaidOtherwise = false): Promise<void> {
  const brief = await readBrief(path);
  if (path === undefined || brief === undefined) return;
  const before = await scope.keepDocument("brief", brief);
  if (!isSaidOtherwise && (before === undefined || before === brief)) return;
  const text = t("workflow.briefChangedDuringWork", { path });
  scope.emit(makeEvent("task", text, { type: "notice", code: "brief-changed-during-work", data: { path } }));
}
