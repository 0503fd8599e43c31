import { lstat, readlink, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { hasCode } from "../../core/files.ts";

/** The folders that file tools may touch without asking. */
export interface Roots {
  /** Absolute; relative paths start here. */
  readonly workspace: string;
  readonly addDirs?: readonly string[];
}

export interface ResolvedPath {
  /** Absolute, free of symlinks and `..`: what is to be opened. */
  readonly path: string;
  /** For people and models: relative to the workspace when inside it. */
  readonly shown: string;
  /** True inside the workspace or one of `addDirs`. */
  readonly inside: boolean;
}

const MOST_LINKS = 40;

/**
 * Where a path written by a model really leads: `~` and relative paths expanded, every symlink followed in the order the
 * kernel would (so `link/..` is the link's parent, not ours), also when the last parts do not exist yet.
 * A string instead of a path says why there is none.
 */
export async function resolvePath(written: string, roots: Roots, cwd: string = roots.workspace): Promise<ResolvedPath | string> {
  if (written.trim() === "") return "The path is empty.";
  if (written.includes("\0")) return "The path holds a NUL character.";
  const path = await followLinks(toAbsolute(written, cwd));
  if (path === undefined) return `The path ${written} goes through too many symbolic links.`;
  const workspace = await realRoot(roots.workspace);
  const allowed = [workspace, ...(await Promise.all((roots.addDirs ?? []).map(realRoot)))];
  return { path, shown: showPath(path, workspace), inside: allowed.some((root) => isWithin(path, root)) };
}

/** True for the folder itself and everything below it. Both absolute and free of symlinks. */
export function isWithin(path: string, root: string): boolean {
  const from = relative(root, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from));
}

/** Relative to the workspace when inside it, else as it is. */
export function showPath(path: string, workspace: string): string {
  if (!isWithin(path, workspace)) return path;
  return relative(workspace, path) || ".";
}

/** Absolute, but not normalised: `..` must wait until symlinks are followed. */
function toAbsolute(written: string, cwd: string): string {
  if (written === "~") return homedir();
  if (written.startsWith("~/")) return `${homedir()}/${written.slice(2)}`;
  return isAbsolute(written) ? written : `${cwd}/${written}`;
}

async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return (await followLinks(root)) ?? resolve(root);
    throw error;
  }
}

async function followLinks(path: string): Promise<string | undefined> {
  let current = parse(path).root || sep;
  let links = 0;
  const todo = segments(path);
  while (todo.length > 0) {
    const name = todo.shift() as string;
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    const target = await linkTarget(next);
    if (target === undefined) {
      current = next;
      continue;
    }
    if (++links > MOST_LINKS) return undefined;
    if (isAbsolute(target)) current = parse(target).root;
    todo.unshift(...segments(target));
  }
  return current;
}

function segments(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}

/** A glob pattern as a folder that can be checked and a pattern below it, e.g. `/a/b/*.ts` → `/a/b` and `./*.ts`. */
export function splitGlob(pattern: string, folder: string): { readonly folder: string; readonly pattern: string } {
  if (!isAbsolute(pattern) && !pattern.startsWith("~/") && !pattern.split("/").includes("..")) return { folder, pattern };
  const parts = pattern.split("/");
  const firstGlob = parts.findIndex((part) => /[*?[{]/.test(part));
  const cut = firstGlob === -1 ? parts.length - 1 : firstGlob;
  const prefix = parts.slice(0, cut).join("/") || (pattern.startsWith("/") ? "/" : ".");
  const base = isAbsolute(prefix) || prefix.startsWith("~") ? prefix : `${folder}/${prefix}`;
  return { folder: base, pattern: `./${parts.slice(cut).join("/")}` };
}
