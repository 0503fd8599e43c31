import type { Case } from "./case.ts";

/** In the order of the table's rows. Loaded one by one: a process that measures a peer must not hold anything of flower. */
const LOADERS: Readonly<Record<string, () => Promise<{ readonly measured: Case }>>> = {
  turn: () => import("./cases/turn.ts"),
  tools: () => import("./cases/tools.ts"),
  handoff: () => import("./cases/handoff.ts"),
  deltas: () => import("./cases/deltas.ts"),
  abort: () => import("./cases/abort.ts"),
  growth: () => import("./cases/growth.ts"),
  sqlite: () => import("./cases/sqlite.ts"),
  sessions: () => import("./cases/sessions.ts"),
  startup: () => import("./cases/startup.ts"),
  "event-log": () => import("./cases/event-log.ts"),
  recovery: () => import("./cases/recovery.ts"),
};

export const CASE_NAMES = Object.keys(LOADERS);

export async function loadCase(name: string): Promise<Case> {
  const load = LOADERS[name];
  if (!load) throw new Error(`There is no case "${name}". There are: ${CASE_NAMES.join(", ")}.`);
  return (await load()).measured;
}
