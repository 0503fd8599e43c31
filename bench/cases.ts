import type { Case } from "./case.ts";
import { abort } from "./cases/abort.ts";
import { deltas } from "./cases/deltas.ts";
import { eventLog } from "./cases/event-log.ts";
import { growth } from "./cases/growth.ts";
import { handoff } from "./cases/handoff.ts";
import { recovery } from "./cases/recovery.ts";
import { sessions } from "./cases/sessions.ts";
import { sqlite } from "./cases/sqlite.ts";
import { startup } from "./cases/startup.ts";
import { tools } from "./cases/tools.ts";
import { turn } from "./cases/turn.ts";

/** In the order of the table's rows. */
export const CASES: readonly Case[] = [
  turn,
  tools,
  handoff,
  deltas,
  abort,
  growth,
  sqlite,
  sessions,
  startup,
  eventLog,
  recovery,
];

export function caseOf(name: string): Case {
  const found = CASES.find((item) => item.name === name);
  if (!found) throw new Error(`There is no case "${name}". There are: ${CASES.map((item) => item.name).join(", ")}.`);
  return found;
}
