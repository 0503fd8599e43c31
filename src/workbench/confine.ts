import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { FlowerError } from "../core/errors.ts";
import { hasCode } from "../core/files.ts";

/** The absolute path of `path` (relative to `root`), links resolved. Throws `bad-input` when it leads out of `root`. */
export function confine(root: string, path: string): string {
  const real = resolveLinks(resolve(root, path));
  if (!isInside(resolveLinks(root), real)) {
    throw new FlowerError("bad-input", `"${path}" leads out of ${root}. Only files inside it can be written here.`, {
      details: { path, root },
    });
  }
  return real;
}

/** True when `path` is `root` or below it. Both must be absolute and without links. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of a file that need not exist yet. A link that points nowhere is refused: writing would follow it. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT") || dirname(path) === path) throw error;
    if (exists(path)) throw new FlowerError("bad-input", `"${path}" is a link that points nowhere. Remove it.`, { cause: error });
    return join(resolveLinks(dirname(path)), basename(path));
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
