import { existsSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import { FlowerError } from "../core/errors.ts";
import { makeFolder, readText, replaceFile } from "../core/files.ts";
import { inEveryLanguage, type Language, translator } from "../i18n/catalogue.ts";
import { confine, isInside, resolveLinks } from "./confine.ts";
import { toFileName } from "./file-name.ts";
import { buildIndex } from "./workbench-index.ts";

export interface WorkbenchOptions {
  /** The folder, relative to the workspace or absolute. Default `.flower`. */
  readonly home?: string;
  /** How many files the index names. Default 40. */
  readonly maxIndexEntries?: number;
  /** Names of documents and the words around the index. Default `en`. */
  readonly language?: Language;
}

const FOLDERS = ["scripts", "artifacts", "notes", "spill"] as const;

/**
 * The files of a run: scripts, artifacts, notes, spilled output, and an index of them.
 *
 * 1. Nothing written through it leaves its root, links resolved.
 * 2. Files are replaced as a whole: a reader sees the old or the new one.
 * 3. Nothing is deleted: what is replaced or given up moves to `notes/archive/`.
 */
export class Workbench {
  readonly workspace: string;
  readonly root: string;
  readonly scripts: string;
  readonly artifacts: string;
  readonly notes: string;
  readonly spill: string;
  readonly indexPath: string;
  readonly language: Language;
  readonly #maxIndexEntries: number;

  constructor(workspace: string, options: WorkbenchOptions = {}) {
    const home = options.home ?? ".flower";
    this.workspace = realpathSync(resolve(workspace));
    this.root = resolveLinks(resolve(this.workspace, home));
    if (!isAbsolute(home) && (this.root === this.workspace || !isInside(this.workspace, this.root))) {
      throw new FlowerError(
        "bad-config",
        `The workbench "${home}" leads out of the workspace ${workspace}. Give an absolute path if that is meant.`,
      );
    }
    this.scripts = join(this.root, "scripts");
    this.artifacts = join(this.root, "artifacts");
    this.notes = join(this.root, "notes");
    this.spill = join(this.root, "spill");
    this.indexPath = join(this.root, "INDEX.md");
    this.language = options.language ?? "en";
    this.#maxIndexEntries = options.maxIndexEntries ?? 40;
  }

  /** Makes the folders, and a `.gitignore` that keeps the workbench out of the user's repository. */
  ensure(): this {
    for (const folder of FOLDERS) makeFolder(confine(this.root, folder));
    const ignore = confine(this.root, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
    return this;
  }

  briefPath(language: Language = this.language): string {
    return join(this.notes, translator(language)("file.brief"));
  }

  goalPath(language: Language = this.language): string {
    return join(this.notes, translator(language)("file.goal"));
  }

  questionsPath(language: Language = this.language): string {
    return join(this.notes, translator(language)("file.questions"));
  }

  /** Where the handoff document of a step is; `step` is its base name. */
  handoffPath(step: string, language: Language = this.language): string {
    return join(this.notes, translator(language)("file.handoff", { step: toFileName(step) }));
  }

  /** Writes a file of the workbench; gives its absolute path. Throws `bad-input` when `path` (relative to the root) leads out of it. */
  async write(path: string, content: string): Promise<string> {
    const target = confine(this.root, path);
    await replaceFile(target, content);
    return target;
  }

  /**
   * Moves brief, goal and handoff documents, in whatever language, into `notes/archive/<timestamp>/`; gives that folder,
   * or undefined when there was nothing to move. The record of questions stays.
   */
  async archive(now: number): Promise<string | undefined> {
    const paths = this.documents();
    if (paths.length === 0) return undefined;
    const folder = this.archiveFolder(now);
    for (const path of paths) await this.#retire(path, folder);
    return folder;
  }

  /** Absolute paths of the brief, the goal and the handoff documents that are there, in whatever language. */
  documents(): readonly string[] {
    const names = existsSync(this.notes) ? readdirSync(this.notes).filter(isRunDocument) : [];
    return names.map((name) => join(this.notes, name)).filter((path) => existsSync(path)); // a name that is no text leads nowhere
  }

  /** The index as of now: path, description and size of the newest files, one line each. */
  index(): Promise<string> {
    return buildIndex(this.root, { workspace: this.workspace, language: this.language, maxEntries: this.#maxIndexEntries });
  }

  /** Moves one document of `notes/` into the archive before a new one takes its place; gives the new path, undefined when there is none. */
  async retire(path: string, now: number): Promise<string | undefined> {
    return existsSync(path) ? this.#retire(path, this.archiveFolder(now)) : undefined;
  }

  /** `notes/archive/<timestamp>`; need not exist. */
  archiveFolder(now: number): string {
    return join(this.notes, "archive", new Date(now).toISOString().replaceAll(":", ""));
  }

  /** Writes the index anew; true when it has changed. */
  async refresh(): Promise<boolean> {
    const text = `# INDEX\n\n${await this.index()}\n`;
    if ((await readText(this.indexPath)) === text) return false;
    await this.write("INDEX.md", text);
    return true;
  }

  /** What a session is told about the workbench in its first message: where it is, what goes where, the index as of now. */
  async promptBlock(): Promise<string> {
    return translator(this.language)("workbench.block", { root: this.root, index: await this.index() });
  }

  async #retire(path: string, folder: string): Promise<string> {
    const from = confine(this.root, path);
    makeFolder(confine(this.root, folder));
    const extension = extname(from);
    const name = basename(from, extension);
    for (let copy = 1; ; copy++) {
      const to = join(folder, `${name}${copy === 1 ? "" : `-${copy}`}${extension}`);
      if (existsSync(to)) continue;
      await rename(from, confine(this.root, to));
      return to;
    }
  }
}

const NAMES = new Set([...inEveryLanguage("file.brief"), ...inEveryLanguage("file.goal")]);
const HANDOFFS = inEveryLanguage("file.handoff").map((name) => name.split("{step}"));

function isRunDocument(name: string): boolean {
  return NAMES.has(name) || HANDOFFS.some(([start = "", end = ""]) => name.startsWith(start) && name.endsWith(end));
}
