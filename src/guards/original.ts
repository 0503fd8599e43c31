import { join } from "node:path";
import { readText } from "../core/files.ts";
import { isWithin, resolvePath } from "../tools/builtin/paths.ts";
import { argsRecord, type CallGuard } from "../tools/call.ts";
import { isGlance } from "./glance.ts";
import { nameOf, readShell } from "./shell-nested.ts";
import type { ShellWord } from "./shell-word.ts";

export interface OriginalOptions {
  /** The copy that the agent works in. Absolute. */
  readonly workspace: string;
  /** What it is a copy of. Absolute. */
  readonly original: string;
}

/**
 * Keeps an agent that works in a copy from the tree it was copied from: no file tool may change it, and no command may name it, run
 * in it, or reach it by a relative path or a link. Commands that only look, in the copy, may hold its path as text. What a program
 * or script does cannot be seen here: compare hashes for that.
 */
export function originalGuard(options: OriginalOptions): CallGuard {
  return {
    async before({ name, args: given }) {
      const args = argsRecord(given);
      const is = async (reached: Promise<boolean>) => ((await reached) ? denial(options) : undefined);
      if (name === "Write" || name === "Edit")
        return is(leadsThere({ path: String(args["file_path"]), cwd: "." }, await placesOf(options)));
      return name === "Bash" ? is(commandReaches(String(args["command"]), options)) : undefined;
    },
  };
}

interface Places extends OriginalOptions {
  /** The original, free of symlinks. */
  readonly real: string;
}

async function placesOf(options: OriginalOptions): Promise<Places> {
  const resolved = await resolvePath(options.original, options);
  return { ...options, real: typeof resolved === "string" ? options.original : resolved.path };
}

async function commandReaches(command: string, options: OriginalOptions): Promise<boolean> {
  const places = await placesOf(options);
  return (isNamed(command, places) || (await isReached(command, places))) && !(await isGlance(command, options));
}

function isNamed(command: string, { original, real }: Places): boolean {
  const plain = command.replaceAll(/\\\n|["'\\]/g, "").replaceAll(/\/(?:\.?\/)+/g, "/"); // "/a"/b, /a//b and /a/./b are /a/b
  return [original, real].some((path) => namesPath(plain, path));
}

/** `/a/b` in `/a/b/c` and `"/a/b"`, not in `/a/bc`. */
export function namesPath(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    if (!/^[\w.-]/.test(text.slice(at + path.length))) return true;
  }
  return false;
}

async function isReached(command: string, places: Places): Promise<boolean> {
  const reading = await readShell(command);
  if (reading === undefined) return false;
  if (reading.allForms.some((form) => nameOf(form) === "git") && (await sharesRepository(places))) return true;
  const words = [
    ...reading.allForms.flatMap(({ words, cwd }) => words.flatMap((word) => pathsIn(word, cwd))),
    ...reading.writes.flatMap(({ target, cwd }) => pathsIn(target, cwd)),
  ];
  const paths = new Map(words.map((path) => [JSON.stringify(path), path]));
  for (const path of paths.values()) if (await leadsThere(path, places)) return true;
  return false;
}

interface WrittenPath {
  readonly path: string;
  /** Undefined when it cannot be told where the command runs. */
  readonly cwd: string | undefined;
  /** More folders and files are named by a pattern behind it. */
  readonly isPattern?: boolean;
}

/** The word, and what stands in it behind `=` or an option's letter; of a pattern for file names, the folder before it. */
function pathsIn({ value, isGlob }: ShellWord, cwd: string | undefined): readonly WrittenPath[] {
  if (value === undefined) return [];
  const behind = [...value.matchAll(/=|^-[A-Za-z]/g)].map(({ 0: mark, index }) => value.slice(index + mark.length));
  const parts = [value, ...behind.filter((part) => part !== "")];
  if (!isGlob) return parts.map((path) => ({ path, cwd }));
  return parts.map((part) => ({ path: part.replace(/[^/]*[*?[].*$/s, "") || ".", cwd, isPattern: true }));
}

/** Absolute paths above the original (`/tmp`) are common; a relative one that climbs out of the copy to there has no other use. */
async function leadsThere({ path, cwd, isPattern = false }: WrittenPath, places: Places): Promise<boolean> {
  if (!/^[/~]/.test(path) && cwd === undefined) return false;
  const written = /^[/~]/.test(path) || cwd === "." ? path : `${cwd}/${path}`;
  const resolved = await resolvePath(written, places);
  if (typeof resolved === "string" || resolved.inside) return false;
  const isClimb = isPattern || !/^[/~]/.test(written);
  return isWithin(resolved.path, places.real) || (isClimb && isWithin(places.real, resolved.path));
}

/** Of a linked worktree only the files are copied: what git writes, it writes to the original's repository. */
async function sharesRepository({ workspace }: Places): Promise<boolean> {
  const link = await readText(join(workspace, ".git")).catch(() => undefined);
  const config = await readText(join(workspace, ".git", "config")).catch(() => undefined);
  return /^gitdir:\s*\//m.test(link ?? "") || /^\s*worktree\s*=\s*\//m.test(config ?? "");
}

function denial({ original, workspace }: OriginalOptions): string {
  return `This could change ${original}, of which ${workspace} is a copy, so it was not done. This is on purpose: what is there stays as it is. Work in the copy, with paths relative to it; what is said of ${original} can be seen there too.`;
}
