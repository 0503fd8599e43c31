import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** True when an absolute path is what a rule's pattern names: relative to the workspace, `/absolute` or `~/…`; a plain folder covers what is in it. */
export function matchesPath(pattern: string, path: string, workspace: string): boolean {
  const anchored = pattern.startsWith("~/") ? join(homedir(), pattern.slice(2)) : isAbsolute(pattern) ? pattern : join(workspace, pattern);
  if (/[*?]/.test(anchored)) return toRegExp(anchored).test(path);
  const folder = anchored.replace(/\/+$/, "");
  return path === folder || path.startsWith(`${folder}/`);
}

/** `*` and `?` stay within one part of a path, `**` spans any number of parts. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|[\\^$+.()|[\]{}]/g, (token) => TOKENS[token] ?? `\\${token}`);
  return new RegExp(`^${source}$`, "s");
}

const TOKENS: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
