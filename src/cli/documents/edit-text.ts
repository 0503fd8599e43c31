import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Translate } from "../../i18n/catalogue.ts";

/** A copy of a document that a person edits; it lies in a private folder until it is thrown away. */
export interface Draft {
  readonly path: string;
  readonly text: string;
  discard(): Promise<void>;
}

export async function openDraft(name: string, text: string): Promise<Draft> {
  const path = join(await mkdtemp(join(tmpdir(), "flower-edit-")), name);
  await writeFile(path, text, { mode: 0o600 });
  return draftAt(path, text);
}

function draftAt(path: string, text: string): Draft {
  return { path, text, discard: () => rm(dirname(path), { recursive: true, force: true }) };
}

/** Has the person edit the draft in their editor, which may be a command with options. Gives the outcome, or why the editor failed. */
export async function editDraft(draft: Draft, editor: string): Promise<Draft | { readonly failed: string }> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, editor, draft.path], { stdio: "inherit" });
  const ignore = () => {}; // Ctrl+C is the editor's while it runs
  process.on("SIGINT", ignore);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    if (code !== 0) return { failed: String(code ?? signal) };
  } finally {
    process.off("SIGINT", ignore);
  }
  return draftAt(draft.path, await readFile(draft.path, "utf8"));
}

/** Whether the person wants another try. With nobody at a terminal: no. */
export async function wantsAgain(t: Translate): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = once(lines, "close").then(() => "n");
  const answer = await Promise.race([lines.question(t("cli.document.again")).catch(() => "n"), closed]);
  lines.close();
  return !/^n/i.test(answer.trim());
}
