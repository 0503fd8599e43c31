import { constants } from "node:fs";
import { cp, lstat, mkdtemp, readdir, readlink, realpath, rm, symlink, unlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { throwIfAborted } from "../core/abort.ts";
import { messageOf } from "../core/errors.ts";
import { hasCode } from "../core/files.ts";
import { isAlive } from "../core/process-state.ts";
import { isWithin } from "../tools/builtin/paths.ts";

/** A copy of a working tree in which commands may do what they like. */
export interface WorkCopy extends AsyncDisposable {
  /** Absolute, free of links. */
  readonly root: string;
  close(): Promise<void>;
}

export interface WorkCopyOptions {
  /** Absolute paths that are left out: the books. */
  readonly exclude?: readonly string[];
  /** A larger tree is not copied. Default 2 GB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

const MOST_BYTES = 2_000_000_000;
const MOST_ENTRIES = 300_000;

/**
 * Copies a working tree, uncommitted and ignored files included, sharing blocks where the file system can. Links that lead into
 * the tree lead into the copy; none leads back. Sockets, pipes and devices are left out. A string instead of a copy says why
 * there is none. Scripts that name the original by its absolute path still reach it: hash the original before and after.
 */
export async function copyWorkspace(workspace: string, options: WorkCopyOptions = {}): Promise<WorkCopy | string> {
  const from = await realpath(workspace);
  const refused = await whyNotToCopy(from, options);
  if (refused !== undefined) return refused;
  let folder: string | undefined;
  try {
    folder = await makeFolder(from);
    const root = join(await realpath(folder), basename(from) || "workspace");
    const close = closer(folder);
    await copyTree(from, root, options);
    return { root, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (folder !== undefined) await closer(folder)();
    throwIfAborted(options.signal ?? new AbortController().signal);
    return `the workspace cannot be copied: ${messageOf(error)}`;
  }
}

async function whyNotToCopy(from: string, options: WorkCopyOptions): Promise<string | undefined> {
  const home = await realpath(homedir()).catch(() => homedir());
  if (isWithin(home, from)) return "the workspace is the home folder, or holds it";
  const maxBytes = options.maxBytes ?? MOST_BYTES;
  const size = await measure(from, options, maxBytes);
  return size > maxBytes ? `the workspace is larger than ${Math.round(maxBytes / 1e6).toLocaleString("en-US")} MB` : undefined;
}

/** Bytes of all files, as soon as they are over the limit; too many entries count as too large. */
async function measure(from: string, options: WorkCopyOptions, maxBytes: number): Promise<number> {
  let bytes = 0;
  let entries = 0;
  for await (const { path, isFolder } of walk(from, options)) {
    if (++entries > MOST_ENTRIES) return Number.POSITIVE_INFINITY;
    if (!isFolder) bytes += (await lstat(path)).size;
    if (bytes > maxBytes) return bytes;
  }
  return bytes;
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

async function* walk(folder: string, options: WorkCopyOptions): AsyncGenerator<Entry> {
  for (const item of await readdir(folder, { withFileTypes: true })) {
    if (options.signal) throwIfAborted(options.signal);
    const path = join(folder, item.name);
    if (options.exclude?.includes(path)) continue;
    yield { path, isFolder: item.isDirectory(), isLink: item.isSymbolicLink() };
    if (item.isDirectory()) yield* walk(path, options);
  }
}

const PREFIX = ".flower-copy-";

/** Beside the workspace, where blocks can be shared; where that may not be written, among the temporary files. */
async function makeFolder(from: string): Promise<string> {
  const name = `${PREFIX}${process.pid}-`;
  try {
    await sweep(dirname(from));
    return await mkdtemp(join(dirname(from), name));
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS")) throw error;
    return mkdtemp(join(tmpdir(), name));
  }
}

/** Takes away the copies of processes that were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = new RegExp(`^\\${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await closer(join(folder, name))();
  }
}

async function copyTree(from: string, to: string, options: WorkCopyOptions): Promise<void> {
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: async (path) => {
      if (options.signal) throwIfAborted(options.signal);
      if (options.exclude?.includes(path)) return false;
      const found = await lstat(path);
      return found.isFile() || found.isDirectory() || found.isSymbolicLink();
    },
  });
  for await (const { path, isLink } of walk(to, {})) if (isLink) await redirect(path, from, to);
}

/** A link into the original becomes one into the copy; a relative one that leads out of it becomes absolute. */
async function redirect(path: string, from: string, to: string): Promise<void> {
  const target = await readlink(path);
  const original = resolve(dirname(join(from, relative(to, path))), target);
  const wanted = isWithin(original, from) ? join(to, relative(from, original)) : original;
  if (resolve(dirname(path), target) === wanted && !isAbsolute(target)) return;
  if (target === wanted) return;
  await unlink(path);
  await symlink(wanted, path);
}

function closer(folder: string): () => Promise<void> {
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {}); // what a command made unwritable stays; it harms nobody
}
