import type { GlanceCommand } from "./glance-commands.ts";

/** How log, diff and show present changes. */
const CHANGES = [
  ...["--stat", "--shortstat", "--numstat", "--name-only", "--name-status"],
  ...["--no-color", "--color=", "--no-ext-diff", "--no-textconv"],
];

/** Commands of git that look, with their options. Whatever could write a file, run a program or leave the repository is missing. */
export const GLANCE_GIT: Readonly<Record<string, GlanceCommand>> = {
  status: {
    flags: "sbuvz",
    long: ["--short", "--branch", "--porcelain", "--porcelain=", "--ignored", "--untracked-files=", "--no-renames"],
  },
  log: {
    flags: "pcmriwbz",
    valued: "nSGL",
    long: [
      ...CHANGES,
      ...["--oneline", "--graph", "--patch", "--no-patch", "--all", "--decorate", "--no-decorate"],
      ...["--reverse", "--merges", "--no-merges", "--first-parent", "--follow", "--abbrev-commit"],
      ...["--format=", "--pretty=", "--pretty", "--date=", "--since=", "--until=", "--after=", "--before="],
      ...["--author=", "--grep=", "--max-count=", "--diff-filter=", "--branches", "--tags", "--decorate="],
    ],
    digits: true,
  },
  diff: {
    flags: "pwbrRz",
    valued: "USG",
    long: [
      ...CHANGES,
      ...["--cached", "--staged", "--word-diff", "--check", "--summary", "--ignore-all-space"],
      ...["--ignore-space-change", "--unified=", "--diff-filter=", "--quiet", "--exit-code", "--merge-base"],
    ],
  },
  show: {
    flags: "pwbsz",
    valued: "U",
    long: [...CHANGES, "--oneline", "--format=", "--pretty=", "--no-patch", "--patch", "--unified="],
  },
  "ls-files": {
    flags: "cdmoiskutvz",
    long: ["--cached", "--deleted", "--modified", "--others", "--ignored", "--stage", "--exclude-standard", "--full-name"],
  },
  "ls-tree": { flags: "drtlz", long: ["--name-only", "--long", "--full-name"] },
  "rev-parse": {
    long: [
      "--abbrev-ref",
      "--short",
      "--short=",
      "--verify",
      "--show-toplevel",
      "--show-prefix",
      "--is-inside-work-tree",
      "--quiet",
      "--symbolic-full-name",
    ],
  },
  "rev-list": { long: ["--count", "--all", "--max-count=", "--no-merges", "--merges", "--first-parent"], valued: "n", digits: true },
  describe: { long: ["--tags", "--always", "--dirty", "--all", "--abbrev="] },
  blame: { flags: "lstwefnpMC", valued: "L", long: ["--date=", "--porcelain", "--show-name", "--show-number"] },
  shortlog: { flags: "sne", long: ["--summary", "--numbered", "--email", "--all", "--no-merges", "--since=", "--until="] },
  "cat-file": { flags: "tsep" },
  "merge-base": { flags: "a", long: ["--all", "--is-ancestor"] },
  "count-objects": { flags: "vH" },
  branch: {
    flags: "avr",
    long: ["--all", "--list", "--show-current", "--remotes", "--merged", "--no-merged", "--no-color"],
    operands: "none",
  },
  tag: { flags: "l", long: ["--list", "--sort="], operands: "none" },
  remote: { flags: "v", operands: "none" },
};
