import type { Agent, Permissions } from "../agents/agent.ts";
import { booksGuard } from "../guards/books.ts";
import { type PermissionGuardOptions, permissionGuard } from "../guards/permission.ts";
import type { Grants } from "../tools/builtin/grants.ts";
import type { CallGuard } from "../tools/call.ts";
import type { Workbench } from "../workbench/workbench.ts";

export interface GuardedPlace {
  readonly workspace: string;
  readonly runDir: string;
  readonly workbench: Workbench;
  readonly grants: Grants;
  readonly ask: PermissionGuardOptions["ask"];
}

/** What stands around every tool call of a step: the books are kept, and a person is asked about what is not allowed by itself. */
export function stepGuards(agent: Agent, place: GuardedPlace): readonly CallGuard[] {
  const { workspace, runDir, workbench, grants, ask } = place;
  const files = [workbench.briefPath(), workbench.goalPath()];
  const permissions = permissionGuard({ permissions: withOwnTools(agent), workspace, addDirs: [], grants, ask });
  return [booksGuard({ workspace, runDir, files, appendOnly: [] }), onlyFor(toolNames(agent), permissions)];
}

/** Tools that the program itself gave an agent need no person's consent, whatever their names; rules that ask or deny still hold. */
function withOwnTools(agent: Agent): Permissions {
  const own = agent.tools.flatMap((item) => (typeof item === "string" ? [] : [item.name]));
  return { ...agent.permissions, allow: [...(agent.permissions.allow ?? []), ...own] };
}

/** Calls of tools that nobody here has are answered by those who know the tools; to ask a person about them would be for nothing. */
function onlyFor(names: ReadonlySet<string>, guard: CallGuard): CallGuard {
  return {
    before: (call, context) => (names.has(call.name) ? guard.before?.(call, context) : undefined),
    after: (call, outcome, context) => guard.after?.(call, outcome, context) ?? outcome,
  };
}

/** Of the agent and of all that it can hand over to. */
function toolNames(agent: Agent, seen: ReadonlySet<Agent> = new Set()): ReadonlySet<string> {
  const known = new Set([...seen, agent]);
  const further = agent.handoffs.flatMap((to) => (typeof to === "string" || known.has(to) ? [] : [...toolNames(to, known)]));
  return new Set([...agent.tools.map((item) => (typeof item === "string" ? item : item.name)), ...further]);
}
