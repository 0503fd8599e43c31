import { join } from "node:path";
import type { Agent, Permissions } from "../agents/agent.ts";
import { booksGuard } from "../guards/books.ts";
import { indexGuard } from "../guards/index-guard.ts";
import { originalGuard } from "../guards/original.ts";
import { type PermissionGuardOptions, permissionGuard } from "../guards/permission.ts";
import { repetitionGuard } from "../guards/repetition.ts";
import { spillGuard } from "../guards/spill.ts";
import { LANGUAGES } from "../i18n/catalogue.ts";
import type { CallGuard } from "../tools/call.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { WorkPlace } from "./work-places.ts";

export interface GuardedPlace extends WorkPlace {
  /** Results from this many characters on are kept in a file; 0 or Infinity: none. */
  readonly spillThreshold: number | undefined;
  readonly ask: PermissionGuardOptions["ask"];
}

/**
 * What stands around every tool call of a step: the books are kept, and so is what a copy was made of; a person is asked about what
 * is not allowed by itself, the workbench's index follows what is written, and long results go to files where the agent can read
 * files. What goes in circles is stopped. For a subagent, `above` are the agents that lead to it, from the main one down.
 */
export function stepGuards(agent: Agent, place: GuardedPlace, above: readonly Agent[] = []): readonly CallGuard[] {
  const { workspace, runDir, workbench, grants, ask } = place;
  const files = [...LANGUAGES.flatMap((each) => [workbench.briefPath(each), workbench.goalPath(each)]), workbench.spill];
  const appendOnly = [...LANGUAGES.map((each) => workbench.questionsPath(each)), join(workbench.notes, "archive")];
  const permissions = permissionGuard({
    permissions: withFreeCalls(agent, permissionsBelow(agent, above), workbench),
    workspace,
    addDirs: place.addDirs,
    grants,
    ask,
  });
  const names = toolNames(agent);
  const guards = [
    booksGuard({ workspace, runDir, files, appendOnly }),
    ...(place.original === undefined ? [] : [originalGuard({ workspace, original: place.original })]),
    onlyFor(names, permissions),
    repetitionGuard(),
    indexGuard(workbench),
  ];
  const spills = place.spillThreshold !== 0 && ["Read", "Bash"].some((name) => names.has(name));
  return spills ? [...guards, spillGuard(workbench, place.spillThreshold)] : guards;
}

/**
 * Tools that the program itself gave an agent need no person's consent, whatever their names, nor does reading what the runtime put
 * into the workbench for it; rules that ask or deny still hold.
 */
function withFreeCalls(agent: Agent, permissions: Permissions, workbench: Workbench): Permissions {
  const own = agent.tools.flatMap((item) => (typeof item === "string" ? [] : [item.name]));
  return { ...permissions, allow: [...(permissions.allow ?? []), ...own, `Read(${workbench.root}/**)`] };
}

/**
 * An agent's permissions below others: what one of them must not do, it must not do, and what one must ask about, it must ask about.
 * Where it says nothing of its own, those of the agent right above hold. Below one that only reads, every one only reads.
 */
function permissionsBelow(agent: Agent, above: readonly Agent[]): Permissions {
  return above.reduceRight((below, { permissions }) => under(permissions, below), agent.permissions);
}

function under(above: Permissions, own: Permissions): Permissions {
  const saysNothing = Object.values(own).every((value) => value === undefined);
  if (saysNothing) return above;
  return {
    mode: above.mode === "plan" ? "plan" : (own.mode ?? above.mode),
    allow: above.mode === "plan" ? above.allow : own.allow,
    ask: [...(above.ask ?? []), ...(own.ask ?? [])],
    deny: [...(above.deny ?? []), ...(own.deny ?? [])],
  };
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
  const starts = agent.subagents.length > 0 ? ["Agent"] : [];
  return new Set([...agent.tools.map((item) => (typeof item === "string" ? item : item.name)), ...starts, ...further]);
}
