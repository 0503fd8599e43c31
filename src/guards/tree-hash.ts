import { createHash } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { throwIfAborted } from "../core/abort.ts";
import { hasCode } from "../core/files.ts";
import { isOutOfReach, joinBytes, showBytes } from "../core/tree-paths.ts";

interface TreeEntry {
  readonly kind: "file" | "link";
  /** SHA-256 of the content, of a link: of its target; "unreadable" where the system does not give it. */
  readonly hash: string;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

/** By path relative to the root, with `/`, in sorted order. A path that is no UTF-8 stands as bash would write it: `$'caf\xe9.txt'`. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export interface HashTreeOptions {
  /** Further things to leave out: paths (absolute, or relative to the root), or names without a slash at any depth. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal;
}

const LEFT_OUT = [".git", ".flower", "node_modules"];
const AT_ONCE = 16;
const READ_WHOLE_BYTES = 1024 * 1024;

/**
 * The files and symlinks below a folder, for a comparison of before and after. Links are not followed; sockets, pipes and devices
 * are skipped; `.git`, `.flower` and `node_modules` are left out. What vanishes meanwhile or lies too deep is skipped, and folders
 * that may not be listed.
 */
export async function hashTree(root: string, options: HashTreeOptions = {}): Promise<Tree> {
  const real = await realpath(root);
  const paths = await listTree(real, await excluder(root, real, options.exclude ?? []), options.signal);
  const entries = new Map<string, TreeEntry>();
  const queue = paths.values();
  const work = async () => {
    for (const path of queue) {
      throwIfAborted(options.signal);
      const entry = await entryOf(joinBytes(Buffer.from(real), path));
      if (entry !== undefined) entries.set(showBytes(path), entry);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface TreeDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Other content, kind or mode. */
  readonly changed: readonly string[];
}

/** What it takes to come from tree `a` to tree `b`; each list sorted. */
export function diffTree(a: Tree, b: Tree): TreeDiff {
  const added = [...b.keys()].filter((path) => !a.has(path));
  const removed = [...a.keys()].filter((path) => !b.has(path));
  const changed = [...b].filter(([path, entry]) => isDifferent(a.get(path), entry)).map(([path]) => path);
  return { added, removed, changed };
}

function isDifferent(before: TreeEntry | undefined, after: TreeEntry): boolean {
  return before !== undefined && (before.kind !== after.kind || before.hash !== after.hash || before.mode !== after.mode);
}

type IsExcluded = (path: string, name: string) => boolean;

async function excluder(root: string, real: string, exclude: readonly string[]): Promise<IsExcluded> {
  const names = new Set([...LEFT_OUT, ...exclude.filter((entry) => !/[/\\]/.test(entry))]);
  const paths = new Set<string>();
  for (const entry of exclude.filter((one) => /[/\\]/.test(one))) {
    paths.add(relative(resolve(root), resolve(root, entry)));
    const followed = await realpath(isAbsolute(entry) ? entry : join(real, entry)).catch(() => undefined);
    if (followed !== undefined) paths.add(relative(real, followed));
  }
  return (path, name) => names.has(name) || paths.has(path.replaceAll("/", sep));
}

async function listTree(root: string, isExcluded: IsExcluded, signal: AbortSignal | undefined): Promise<Buffer[]> {
  const found: Buffer[] = [];
  const folders: Buffer[] = [Buffer.alloc(0)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    throwIfAborted(signal);
    for (const item of await itemsOf(joinBytes(Buffer.from(root), folder))) {
      const path = joinBytes(folder, item.name);
      if (isExcluded(path.toString(), item.name.toString())) continue;
      if (item.isDirectory()) folders.push(path);
      else if (item.isFile() || item.isSymbolicLink()) found.push(path);
    }
  }
  return found;
}

async function itemsOf(folder: Buffer): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    if (isOutOfReach(error)) return [];
    throw error;
  }
}

async function entryOf(path: Buffer): Promise<TreeEntry | undefined> {
  try {
    const info = await lstat(path);
    const mode = info.mode & 0o7777;
    if (info.isSymbolicLink()) return { kind: "link", hash: sha256(await readlink(path, { encoding: "buffer" })), size: info.size, mode };
    if (!info.isFile()) return undefined;
    return { kind: "file", hash: await hashFile(path, info.size), size: info.size, mode };
  } catch (error) {
    if (isOutOfReach(error)) return undefined;
    throw error;
  }
}

async function hashFile(path: Buffer, size: number): Promise<string> {
  try {
    if (size <= READ_WHOLE_BYTES) return sha256(await readFile(path));
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
  } catch (error) {
    if (isOutOfReach(error) && !hasCode(error, "ENOENT", "ENOTDIR")) return "unreadable";
    throw error;
  }
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
