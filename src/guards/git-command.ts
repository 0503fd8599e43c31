import { nameOf } from "./shell-nested.ts";
import { folderBelow, type ShellCommand } from "./shell-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** A call of git, its own options read. */
export interface GitCommand {
  readonly name: string | undefined;
  /** What stands behind the name. */
  readonly words: readonly ShellWord[];
  /** Where it works: `-C`, `--work-tree` followed; undefined when that cannot be told. */
  readonly cwd: string | undefined;
  /** Repositories and files elsewhere that options and variables name. */
  readonly places: readonly ShellWord[];
}

const TAKES_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"]);
const PLACE_VARIABLE = /^(?:GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|GIT_CONFIG_GLOBAL)=/;
const PLACE_SETTING = /^(?:core\.worktree)=/i;

/** Reads a command as a call of git; undefined when it is none. */
export function readGit(command: ShellCommand): GitCommand | undefined {
  if (nameOf(command) !== "git") return undefined;
  let { cwd } = command;
  const places = command.variables
    .filter((word) => PLACE_VARIABLE.test(word.value ?? ""))
    .map((word) => withoutStart(word, PLACE_VARIABLE));
  const words = command.words.slice(1);
  while (words[0]?.value?.startsWith("-")) {
    const first = words.shift() as ShellWord; // it is there
    const [option = "", joined] = (first.value ?? "").split(/=(.*)/s);
    const value = joined === undefined ? (TAKES_VALUE.has(option) ? words.shift() : undefined) : { ...first, value: joined };
    if (option === "-C" || option === "--work-tree") cwd = value?.value === undefined ? undefined : folderBelow(cwd, value.value);
    if (option === "--git-dir" && value) places.push(value);
    if (option === "-c" && value && PLACE_SETTING.test(value.value ?? "")) places.push(withoutStart(value, PLACE_SETTING));
  }
  return { name: words[0]?.value, words: words.slice(1), cwd, places };
}

function withoutStart(word: ShellWord, start: RegExp): ShellWord {
  return { ...word, value: word.value?.replace(start, "") };
}
