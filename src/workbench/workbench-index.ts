import { open, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Language, translator } from "../i18n/catalogue.ts";
import { clip } from "../messages/event.ts";
import { isInside } from "./confine.ts";

/** A file of the workbench as the index shows it. */
interface IndexEntry {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

export interface IndexOptions {
  /** Paths in it are relative, all others absolute. */
  readonly workspace: string;
  readonly language: Language;
  readonly maxEntries: number;
}

/** Not worth a line: what is moved away, what is generated, what other tools keep. */
const LEFT_OUT = ["INDEX.md", "spill/**", "notes/archive/**", "**/node_modules/**", "**/.git/**"];
const DESCRIPTION_CHARS = 120;
const HEAD_BYTES = 2_048;

/** The index of a workbench: path, description, size of the newest files, one line each; a word when there is none. */
export async function buildIndex(root: string, options: IndexOptions): Promise<string> {
  const t = translator(options.language);
  const entries = await listFiles(root);
  if (entries.length === 0) return `- (${t("workbench.empty")})`;
  const shown = entries.slice(0, options.maxEntries);
  const lines = await Promise.all(shown.map((entry) => toLine(entry, options.workspace)));
  const older = entries.length - shown.length;
  return [...lines, ...(older === 0 ? [] : [`- (${t("workbench.older", { count: older })})`])].join("\n");
}

/** Newest first; equally new ones by path. Links are not followed. */
async function listFiles(root: string): Promise<IndexEntry[]> {
  const { glob } = await import("tinyglobby");
  const names = await glob("**/*", { cwd: root, ignore: LEFT_OUT, onlyFiles: true, followSymbolicLinks: false, expandDirectories: false });
  const entries = await Promise.all(names.map((name) => toEntry(join(root, name))));
  return entries
    .filter((entry): entry is IndexEntry => entry !== undefined)
    .sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
}

/** Undefined for a file that has gone meanwhile. */
async function toEntry(path: string): Promise<IndexEntry | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? { path, size: stats.size, modified: stats.mtimeMs } : undefined;
}

async function toLine(entry: IndexEntry, workspace: string): Promise<string> {
  const path = isInside(workspace, entry.path) ? relative(workspace, entry.path) : entry.path;
  const description = await readDescription(entry.path).catch(() => "");
  return `- ${/\p{Cc}/u.test(path) ? JSON.stringify(path) : path}${description === "" ? "" : ` — ${description}`} (${formatSize(entry.size)})`;
}

/** What stands behind `# desc:` (or another comment sign) in the first lines of a file. */
async function readDescription(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const found = /^[ \t]*(?:#|\/\/|--|;|%|\/?\*|<!--)[ \t]*desc:[ \t]*([^\n\r]*)/im.exec(buffer.toString("utf8", 0, bytesRead));
    return clip((found?.[1] ?? "").replace(/(?:-->|\*\/)\s*$/, "").trim(), DESCRIPTION_CHARS);
  } finally {
    await file.close();
  }
}

function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, "kB"] : [bytes / 1_000_000, "MB"];
  return `${size.toFixed(1)} ${unit}`;
}
