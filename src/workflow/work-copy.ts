import { constants, type Dirent } from "node:fs";
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readlink, realpath, rm, symlink, utimes } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { throwIfAborted } from "../core/abort.ts";
import { messageOf } from "../core/errors.ts";
import { hasCode } from "../core/files.ts";
import { isAlive } from "../core/process-state.ts";
import { isOutOfReach, joinBytes } from "../core/tree-paths.ts";
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
 * the tree lead into the copy; none leads back. Sockets, pipes and devices are left out, and what cannot be reached: it may not be
 * read, has gone meanwhile, or lies too deep. Names need not be text. A string instead of a copy says why there is none. Scripts
 * that name the original by its absolute path still reach it: hash the original before and after.
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
  for await (const { path, kind } of walk(from, options)) {
    if (++entries > MOST_ENTRIES) return Number.POSITIVE_INFINITY;
    if (kind !== "folder") bytes += (await unlessOutOfReach(() => lstat(joinBytes(Buffer.from(from), path))))?.size ?? 0;
    if (bytes > maxBytes) return bytes;
  }
  return bytes;
}

/** Paths are bytes: a name need not be UTF-8. */
interface Entry {
  /** Below the root; a row of bytes, which need not be text. */
  readonly path: Buffer;
  readonly kind: "folder" | "file" | "link";
}

/** Each folder before what is in it. What has gone meanwhile or may not be listed is passed over, as are sockets, pipes and devices. */
async function* walk(root: string, options: WorkCopyOptions): AsyncGenerator<Entry> {
  const from = Buffer.from(root);
  const folders: Buffer[] = [Buffer.alloc(0)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const item of await itemsOf(joinBytes(from, folder))) {
      if (options.signal) throwIfAborted(options.signal);
      const path = joinBytes(folder, item.name);
      const kind = kindOf(item);
      if (kind === undefined || options.exclude?.includes(join(root, path.toString()))) continue;
      yield { path, kind };
      if (kind === "folder") folders.push(path);
    }
  }
}

async function itemsOf(folder: Buffer): Promise<readonly Dirent<Buffer>[]> {
  return (await unlessOutOfReach(() => readdir(folder, { withFileTypes: true, encoding: "buffer" }))) ?? [];
}

function kindOf(item: Dirent<Buffer>): Entry["kind"] | undefined {
  if (item.isDirectory()) return "folder";
  if (item.isSymbolicLink()) return "link";
  return item.isFile() ? "file" : undefined;
}

/** Undefined when one entry cannot be reached; the tree's other entries can. */
async function unlessOutOfReach<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isOutOfReach(error)) return undefined;
    throw error;
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
  const [source, target] = [Buffer.from(from), Buffer.from(to)];
  const folders: Buffer[] = [Buffer.alloc(0)];
  await mkdir(to);
  for await (const { path, kind } of walk(from, options)) {
    const [original, copy] = [joinBytes(source, path), joinBytes(target, path)];
    if (kind === "folder") {
      folders.push(path);
      await unlessOutOfReach(() => mkdir(copy));
    } else
      await unlessOutOfReach(() => (kind === "link" ? copyLink(original, copy, { from: source, to: target }) : copyOne(original, copy)));
  }
  for (const path of folders.reverse()) await unlessOutOfReach(() => dress(joinBytes(source, path), joinBytes(target, path)));
}

async function copyOne(original: Buffer, copy: Buffer): Promise<void> {
  await copyFile(original, copy, constants.COPYFILE_FICLONE);
  const { atime, mtime } = await lstat(original);
  await utimes(copy, atime, mtime);
}

/** A folder's mode and times, once everything is in it: it may be one that nobody may write to. */
async function dress(original: Buffer, copy: Buffer): Promise<void> {
  const { mode, atime, mtime } = await lstat(original);
  await utimes(copy, atime, mtime);
  await chmod(copy, mode & 0o7777);
}

/** A link into the original becomes one into the copy; a relative one that leads out of it becomes absolute. */
async function copyLink(original: Buffer, copy: Buffer, { from, to }: { readonly from: Buffer; readonly to: Buffer }): Promise<void> {
  const target = await readlink(original, { encoding: "buffer" });
  const [path, copied, link, root, copyRoot] = [original, copy, target, from, to].map((bytes) => bytes.toString("latin1")) as FiveTexts;
  const led = resolve(dirname(path), link);
  const wanted = isWithin(led, root) ? join(copyRoot, relative(root, led)) : led;
  const isRight = !isAbsolute(link) && resolve(dirname(copied), link) === wanted;
  await symlink(isRight ? target : Buffer.from(wanted, "latin1"), copy); // one character a byte: nothing is lost on the way
}

type FiveTexts = [string, string, string, string, string];

function closer(folder: string): () => Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  return () =>
    remove()
      .catch(() => unlock(folder).then(remove))
      .catch(() => {}); // what cannot be taken away stays; it harms nobody
}

/** Lets the owner take away what lies in folders that nobody may write to. */
async function unlock(root: string): Promise<void> {
  for await (const { path, kind } of walk(root, {}))
    if (kind === "folder") await unlessOutOfReach(() => chmod(joinBytes(Buffer.from(root), path), 0o700));
}
