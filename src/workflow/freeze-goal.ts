import { stat, utimes } from "node:fs/promises";
import { replaceFile } from "../core/files.ts";
import type { Language } from "../i18n/catalogue.ts";
import { type Goal, goalToMarkdown } from "../workbench/goal-document.ts";

export interface FreezeOptions {
  readonly path: string;
  readonly language: Language;
  /** ISO instant up to which the person has been heard: what they said while the goal was being set may not be in it. */
  readonly heardUntil: string;
}

/** Writes the goal. The file's time says until when the person has been heard, so that another process knows it too. */
export async function freezeGoal(goal: Goal, options: FreezeOptions): Promise<void> {
  await replaceFile(options.path, goalToMarkdown(goal, options.language));
  const heard = new Date(options.heardUntil);
  await utimes(options.path, heard, heard);
}

/** Until when the person has been heard, in milliseconds; an edit of the file by hand counts as hearing everything before it. */
export async function heardUntil(path: string): Promise<number> {
  return Math.round((await stat(path)).mtimeMs);
}
