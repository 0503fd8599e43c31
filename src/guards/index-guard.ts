import { existsSync } from "node:fs";
import type { CallGuard } from "../tools/call.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** These change no file. */
const READERS = /^(?:Read|Glob|Grep|WebFetch|TodoWrite|BashOutput|mcp__human__.*)$/;

/**
 * Keeps the workbench's index up to date, whichever tool wrote there: commands and other programs' tools do not say what they change,
 * so the folder itself is looked at. An index that cannot be written takes nothing from the work.
 */
export function indexGuard(workbench: Workbench): CallGuard {
  return {
    async after(call, outcome) {
      if (!READERS.test(call.name) && existsSync(workbench.root)) await workbench.refresh().catch(() => false);
      return outcome;
    },
  };
}
