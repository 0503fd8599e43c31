import { isRecord } from "../core/json.ts";
import type { LoggedEvent } from "../messages/event.ts";
import { addUsage, isUsage, NO_USAGE, type Usage } from "../messages/usage.ts";
import { readEvents } from "../workbench/event-reader.ts";

/** What one query spent. */
export interface Spending {
  /** Of the step, as it was labelled; "" when nothing says. */
  readonly step: string;
  readonly usage: Usage;
}

/**
 * What earlier runs of a chain spent on work that is not done yet, query by query, from their logs (the newest first): also what a
 * kill kept out of the manifest. A run that achieved its goal, and all before it, belong to other work.
 */
export async function earlierSpending(logs: readonly string[]): Promise<readonly Spending[]> {
  const spent: Spending[] = [];
  for (const path of logs) {
    const run = await readSpending(path);
    if (run.achieved) break;
    spent.push(...run.spent);
  }
  return spent;
}

async function readSpending(path: string): Promise<{ readonly spent: readonly Spending[]; readonly achieved: boolean }> {
  const spent: Spending[] = [];
  const open = new Map<string, Usage>(); // by step: replies that no `result` has summed up yet
  let achieved = false;
  for await (const event of readEvents(path)) {
    const payload = isRecord(event.payload) ? event.payload : {};
    if (event.kind === "task" && payload["type"] === "run-end") achieved = payload["outcome"] === "achieved";
    const usage = payload["usage"];
    if (!isUsage(usage)) continue;
    const step = stepOf(event);
    if (event.kind === "result") {
      spent.push({ step, usage });
      open.delete(step);
    } else if (event.kind === "text" || event.kind === "thinking" || event.kind === "tool_call") {
      open.set(step, addUsage(open.get(step) ?? NO_USAGE, usage));
    }
  }
  const cut = [...open].map(([step, usage]) => ({ step, usage }));
  return { spent: [...spent, ...cut], achieved };
}

function stepOf({ payload }: LoggedEvent): string {
  return isRecord(payload) ? String(payload["step"] ?? "") : "";
}
