import { Grants } from "../tools/builtin/grants.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** A folder that agents work in, and what is theirs around it. */
export interface WorkPlace {
  readonly workspace: string;
  /** What the workspace is a copy of; undefined when it is none. */
  readonly original: string | undefined;
  readonly runDir: string;
  readonly workbench: Workbench;
  /** Further folders in which agents may work. */
  readonly addDirs: readonly string[];
  /** What a person has granted there: one list for tools and guards. */
  readonly grants: Grants;
}

/** The work places of one run: its workspace, and copies of it. */
export class WorkPlaces {
  readonly #own: Pick<WorkPlace, "workspace" | "runDir" | "workbench">;
  readonly #grants = new Map<string, Grants>();

  constructor(own: Pick<WorkPlace, "workspace" | "runDir" | "workbench">) {
    this.#own = own;
  }

  /** Default: the run's own workspace. */
  at(workspace = this.#own.workspace): WorkPlace {
    const { runDir, workbench } = this.#own;
    const original = workspace === this.#own.workspace ? undefined : this.#own.workspace;
    const addDirs = original === undefined ? [workbench.root] : []; // the workbench may lie elsewhere; copies leave it alone
    return { workspace, original, runDir, workbench, addDirs, grants: this.#grantsOf(workspace) };
  }

  #grantsOf(workspace: string): Grants {
    let grants = this.#grants.get(workspace);
    if (!grants) {
      grants = new Grants();
      this.#grants.set(workspace, grants);
    }
    return grants;
  }
}
