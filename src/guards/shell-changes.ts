import type { Change } from "./change-options.ts";
import { readChanges } from "./change-readers.ts";
import { gitChanges } from "./git-changes.ts";
import { readGit } from "./git-command.ts";
import { nameOf, type ShellReading } from "./shell-nested.ts";
import type { ShellCommand } from "./shell-script.ts";

/** A path that a script changes. Of a kind "destroy" what is there is removed or moved away; "append" only adds to it. */
export interface ShellChange extends Change {
  readonly cwd: string | undefined;
  /** The command, or `>` for a redirection. */
  readonly by: string;
}

/** The paths that a script plainly changes: by redirection, and by the usual commands. Programs and scripts it starts are not seen. */
export function changesOf(reading: ShellReading): readonly ShellChange[] {
  const redirected = reading.writes.map(
    ({ target, cwd, isAppend }): ShellChange => ({ target, cwd, kind: isAppend ? "append" : "write", by: ">" }),
  );
  return [...redirected, ...reading.allForms.flatMap(commandChanges)];
}

function commandChanges(command: ShellCommand): readonly ShellChange[] {
  const by = nameOf(command) ?? "";
  const git = readGit(command);
  const { cwd } = git ?? command;
  const changes = git ? gitChanges(git) : readChanges(by, command.words.slice(1));
  return changes.map((change) => ({ ...change, cwd, by }));
}
