import { after, all, type Change, hasOption, nth, operands } from "./change-options.ts";
import type { GitCommand } from "./git-command.ts";
import type { ShellWord } from "./shell-word.ts";

/** These change nothing in the repository. */
const READS: ReadonlySet<string> = new Set(
  (
    "status log diff show blame annotate grep ls-files ls-tree ls-remote cat-file rev-parse rev-list describe shortlog reflog help version var " +
    "for-each-ref show-ref merge-base name-rev check-ignore check-attr count-objects diff-tree diff-index diff-files cherry whatchanged show-branch"
  ).split(" "),
);
/** These only list when they are given nothing, or say so. */
const LISTS: ReadonlySet<string> = new Set(["branch", "tag", "remote", "worktree", "notes", "submodule"]);
const HERE: ShellWord = { text: ".", value: ".", isGlob: false };

/** What a call of git changes: the repository that it works in or is pointed at, and the paths it is given. */
export function gitChanges(git: GitCommand): readonly Change[] {
  const { name = "", words, places } = git;
  const repository = readsOnly(name, words) ? [] : [HERE, ...places].map((target): Change => ({ target, kind: "write" }));
  return [...repository, ...after(words, "--output"), ...named(name, words)];
}

function readsOnly(name: string, words: readonly ShellWord[]): boolean {
  if (READS.has(name)) return true;
  const given = operands(words);
  if (name === "config") return readsConfig(words, given);
  if (name === "stash") return /^(?:list|show)$/.test(given[0]?.value ?? "");
  return LISTS.has(name) && given.every((word) => /^(?:list|show|get-url|status)$/.test(word.value ?? ""));
}

function readsConfig(words: readonly ShellWord[], given: readonly ShellWord[]): boolean {
  return given.length < 2 || hasOption(words, /^--(?:get|list)/) || /^(?:get|list)$/.test(given[0]?.value ?? "");
}

function named(name: string, words: readonly ShellWord[]): readonly Change[] {
  switch (name) {
    case "checkout":
    case "restore":
    case "rm":
    case "mv":
      return all(words, "write");
    case "clone":
      return nth(words, Math.max(1, operands(words).length - 1));
    case "init":
      return nth(words, 0);
    case "worktree":
    case "bundle":
    case "submodule":
      return operands(words).slice(1).map((target) => ({ target, kind: "write" })); // biome-ignore format: one fact
    case "archive":
      return after(words, "-o");
    case "format-patch":
      return after(words, "-o --output-directory");
    case "config":
      return readsConfig(words, operands(words)) ? [] : configFiles(words);
    default:
      return [];
  }
}

function configFiles(words: readonly ShellWord[]): readonly Change[] {
  const file = (text: string): Change => ({ target: { text, value: text, isGlob: false }, kind: "write" });
  return [
    ...after(words, "-f --file"),
    ...(hasOption(words, /^--global$/) ? [file("~/.gitconfig")] : []),
    ...(hasOption(words, /^--system$/) ? [file("/etc/gitconfig")] : []),
  ];
}
