import { relative } from "node:path";
import { isWithin, type Roots, resolvePath } from "../tools/builtin/paths.ts";
import { readGit } from "./git-command.ts";
import { folderBelow, type ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

export const CLEAN_TEXT =
  "This git command takes ignored files away, and the run's books (.flower, runs) are among them. It was not run, on purpose. Say git clean -x with -e .flower -e runs and not -X, and git stash without --all.";

/** Whether a command is a `git clean` that would remove ignored files and one of the books with them. */
export async function cleansAway(command: ShellCommand, books: readonly string[], roots: Roots): Promise<boolean> {
  const clean = readClean(command);
  if (clean === undefined || clean.removes === "no ignored files") return false;
  for (const folder of clean.folders) {
    const resolved = folder === undefined ? undefined : await resolvePath(folder, roots);
    if (resolved === undefined || typeof resolved === "string") return true;
    const inReach = books.filter((book) => isWithin(book, resolved.path) || isWithin(resolved.path, book));
    // With -X an excluded file counts as ignored, and goes.
    if (inReach.some((book) => clean.removes === "ignored files only" || !isExcluded(book, clean.excluded, roots.workspace))) return true;
  }
  return false;
}

interface Clean {
  readonly removes: "no ignored files" | "ignored files only" | "everything";
  readonly excluded: readonly string[];
  /** What it works on: the folder it runs in, or the paths that it names; undefined when that cannot be told. */
  readonly folders: readonly (string | undefined)[];
}

function readClean(command: ShellCommand): Clean | undefined {
  const git = readGit(command);
  if (git?.name === "clean") return cleanOf(git.words, git.cwd);
  return git?.name === "stash" && stashesIgnored(git.words) ? { removes: "everything", excluded: [], folders: [git.cwd] } : undefined;
}

/** `git stash --all` takes ignored files away too. */
function stashesIgnored(words: readonly ShellWord[]): boolean {
  const [first] = words;
  const isPush = first === undefined || first.value === "push" || first.value === "save" || /^-/.test(first.value ?? "");
  return isPush && words.some((word) => /^(?:-[a-zA-Z]*a|--all$)/.test(word.value ?? ""));
}

function cleanOf(words: readonly ShellWord[], cwd: string | undefined): Clean {
  const [flags, excluded, paths]: [Set<string>, string[], ShellWord[]] = [new Set(), [], []];
  let isPath = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as ShellWord;
    const text = word.value ?? word.text;
    const cluster = /^-([a-zA-Z]*?)(?:e(.*))?$/s.exec(text);
    if (isPath || !text.startsWith("-")) paths.push(word);
    else if (text === "--") isPath = true;
    else if (text === "--dry-run") flags.add("n");
    else if (text === "--exclude") excluded.push(words[++i]?.value ?? "");
    else if (text.startsWith("--exclude=")) excluded.push(text.slice("--exclude=".length));
    else if (cluster) {
      for (const flag of cluster[1] ?? "") flags.add(flag);
      if (cluster[2] !== undefined) excluded.push(cluster[2] === "" ? (words[++i]?.value ?? "") : cluster[2]);
    }
  }
  const removes = flags.has("n")
    ? "no ignored files"
    : flags.has("X")
      ? "ignored files only"
      : flags.has("x")
        ? "everything"
        : "no ignored files";
  const isPlain = paths.length > 0 && paths.every((word) => word.value !== undefined && !word.isGlob && !word.value.startsWith(":"));
  const folders = isPlain ? paths.map((word) => folderBelow(cwd, word.value ?? ".")) : [cwd];
  return { removes, excluded, folders };
}

/** A pattern without a slash holds at any depth; one with a slash, from the top. `!` takes back what was excluded. */
function isExcluded(book: string, patterns: readonly string[], workspace: string): boolean {
  if (patterns.some((pattern) => pattern.startsWith("!"))) return false;
  const path = relative(workspace, book);
  return patterns.some((pattern) => {
    const bare = pattern.replace(/^\/|\/$/g, "");
    if (bare === "") return false;
    return path === bare || path.startsWith(`${bare}/`) || (!/^\//.test(pattern) && path.split("/").includes(bare));
  });
}
