import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Check } from "../../src/workbench/check.ts";

/** What a worker left, what it says of it, and the checks by which that is judged. */
export interface JudgeCase {
  readonly name: string;
  /** The workspace before the work. */
  readonly before?: Files;
  /** What the worker does. */
  readonly work: Files;
  /** The worker's last message. */
  readonly report: string;
  readonly items: readonly Item[];
}

/** By path: a file's text, a link's target, or null: it is deleted. A script begins with `#!`. */
export type Files = Readonly<Record<string, string | { readonly link: string } | null>>;

export interface Item extends Check {
  /** Whether the work does what the item asks for: the truth that verdicts are measured by. */
  readonly holds: boolean | "nobody can tell";
  /** For an item without a command: where an honest judge looks, and what it must see there. */
  readonly look?: Look;
}

export interface Look {
  readonly tool: "Read" | "Grep" | "Glob";
  readonly args: Readonly<Record<string, string>>;
  readonly shows: RegExp;
}

/** A judge reads `file`, and must find `shows` in it. */
export function reads(file: string, shows: RegExp): Look {
  return { tool: "Read", args: { file_path: file }, shows };
}

/** The goal is reached: every item holds. */
export function isDone({ items }: JudgeCase): boolean {
  return items.every((item) => item.holds === true);
}

export async function lay(files: Files, folder: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const full = join(folder, path);
    await mkdir(dirname(full), { recursive: true });
    if (content === null || typeof content === "object") await rm(full, { recursive: true, force: true });
    if (typeof content === "string") await writeFile(full, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
    else if (content !== null) await symlink(content.link, full);
  }
}
