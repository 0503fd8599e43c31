import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readlink, realpath, rm, symlink, utimes } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
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
  let folder: string | undefined;
  try {
    const refused = await whyNotToCopy(from, options);
    if (refused !== undefined) return refused;
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
  const folders: Buffer[] = [Buffer.from(from)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { path, kind } of await entriesOf(folder, options)) {
      if (++entries > MOST_ENTRIES) return Number.POSITIVE_INFINITY;
      if (kind === "folder") folders.push(path);
      else bytes += (await lstat(path).catch(unlessGone))?.size ?? 0;
      if (bytes > maxBytes) return bytes;
    }
  }
  return bytes;
}

/** Paths are bytes: a name need not be UTF-8. */
interface Entry {
  readonly name: Buffer;
  readonly path: Buffer;
  readonly kind: "file" | "folder" | "link";
}

/** What a folder holds, without what is left out; nothing when it has gone meanwhile. */
async function entriesOf(folder: Buffer, options: WorkCopyOptions): Promise<readonly Entry[]> {
  if (options.signal) throwIfAborted(options.signal);
  const items = (await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(unlessGone)) ?? [];
  return items.flatMap((item) => {
    const kind = item.isDirectory() ? "folder" : item.isSymbolicLink() ? "link" : item.isFile() ? "file" : undefined;
    const path = below(folder, item.name);
    return kind === undefined || options.exclude?.includes(path.toString()) ? [] : [{ name: item.name, path, kind }];
  });
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from(sep), name]);
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
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

interface Trees {
  readonly from: string;
  readonly to: string;
}

async function copyTree(from: string, to: string, options: WorkCopyOptions): Promise<void> {
  await copyFolder(Buffer.from(from), Buffer.from(to), { from, to }, options);
}

async function copyFolder(from: Buffer, to: Buffer, trees: Trees, options: WorkCopyOptions): Promise<void> {
  const info = await lstat(from).catch(unlessGone);
  if (!info) return;
  await mkdir(to);
  for (const { name, path, kind } of await entriesOf(from, options)) {
    const copy = below(to, name);
    if (kind === "folder") await copyFolder(path, copy, trees, options);
    else if (kind === "link") await copyLink(path, copy, trees).catch(unlessGone);
    else await copyOneFile(path, copy).catch(unlessGone);
  }
  await chmod(to, info.mode); // last: it may forbid writing
  await utimes(to, info.atime, info.mtime);
}

async function copyOneFile(path: Buffer, copy: Buffer): Promise<void> {
  const { atime, mtime } = await lstat(path);
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  await utimes(copy, atime, mtime);
}

/** A link into the original becomes one into the copy; a relative one that leads out of it becomes absolute. */
async function copyLink(path: Buffer, copy: Buffer, { from, to }: Trees): Promise<void> {
  const bytes = await readlink(path, { encoding: "buffer" });
  const target = bytes.toString();
  if (!Buffer.from(target).equals(bytes)) return symlink(bytes, copy);
  const original = resolve(dirname(path.toString()), target);
  const wanted = isWithin(original, from) ? join(to, relative(from, original)) : original;
  const isRight = !isAbsolute(target) && resolve(dirname(copy.toString()), target) === wanted;
  await symlink(isRight ? target : wanted, copy);
}

function closer(folder: string): () => Promise<void> {
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {}); // what a command made unwritable stays; it harms nobody
}
