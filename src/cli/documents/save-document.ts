import { readText, replaceFile, withFileLock } from "../../core/files.ts";
import { joinAmendments, splitAmendments } from "../../human/amendments.ts";
import type { Language } from "../../i18n/catalogue.ts";

export interface Edit {
  readonly path: string;
  /** What the person began with. */
  readonly before: string;
  readonly after: string;
}

/**
 * Replaces the document as a whole. What people have added at its end since the edit began stays; false, and nothing is written, when
 * anything else of it has changed.
 */
export function saveDocument({ path, before, after }: Edit, language: Language): Promise<boolean> {
  return withFileLock(path, async () => {
    const now = (await readText(path)) ?? "";
    const added = now === before ? [] : addedSince(before, now);
    if (!added) return false;
    const { document, amendments } = splitAmendments(after);
    await replaceFile(path, added.length === 0 ? after : joinAmendments({ document, amendments: [...amendments, ...added] }, language));
    return true;
  });
}

/** The amendments that `now` has more than `before`; undefined when it differs in another way too. */
function addedSince(before: string, now: string) {
  const [old, fresh] = [splitAmendments(before), splitAmendments(now)];
  const known = new Set(old.amendments.map((amendment) => JSON.stringify(amendment)));
  return old.document.trim() === fresh.document.trim()
    ? fresh.amendments.filter((amendment) => !known.has(JSON.stringify(amendment)))
    : undefined;
}
