import { basename } from "node:path";
import { readText } from "../core/files.ts";
import { isRecord } from "../core/json.ts";
import { clip, eventToString, type LoggedEvent } from "../messages/event.ts";
import { lastEvents } from "../workbench/last-events.ts";
import { eventsPath } from "../workbench/run-chain.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** Where a side question finds its material. */
export interface OracleMaterial {
  readonly runDir: string;
  /** The chain of runs, oldest first. */
  readonly runs: readonly string[];
  readonly workbench: Workbench;
}

const MOST_EVENTS = 60;
const EVENT_CHARS = 200;
const DOCUMENT_CHARS = 8_000;
/** What the model was told and what it thought is much, and neither says what happened. */
const LEFT_OUT: ReadonlySet<string> = new Set(["thinking", "prompt"]);

/** A question with all that is known without looking: the last events, the documents, the index of the workbench. */
export async function oraclePrompt(question: string, material: OracleMaterial): Promise<string> {
  const { workbench } = material;
  const events = await newestEvents(material);
  const documents = await Promise.all(workbench.documents().map(documentBlock));
  return [
    `The person asks:\n\n${question}`,
    `## The run's last events, oldest first\n\n${events.length === 0 ? "(none yet)" : events.map(eventLine).join("\n")}`,
    ...documents,
    `## Files of the workbench (${workbench.root})\n\n${await workbench.index()}`,
    `Now answer the person's question:\n\n${question}`,
  ].join("\n\n");
}

/** Of the newest run, and of those before it as far as one is short. */
async function newestEvents({ runDir, runs }: OracleMaterial): Promise<readonly LoggedEvent[]> {
  const wanted = (event: LoggedEvent) => !LEFT_OUT.has(event.kind);
  let events: readonly LoggedEvent[] = [];
  for (const run of [...runs].reverse()) {
    const older = await lastEvents(eventsPath(runDir, run), { count: MOST_EVENTS - events.length, wanted });
    events = [...older, ...events];
    if (events.length >= MOST_EVENTS) break;
  }
  return events;
}

/** `2026-01-01T00:00:07.000Z tool_call (work, worker): [Bash] npm test` */
function eventLine(event: LoggedEvent): string {
  const { step, subagent, agent, type, state } = isRecord(event.payload) ? event.payload : {};
  const marks = [step, subagent ?? agent, type, state].filter((mark) => typeof mark === "string" && mark !== "");
  const text = eventToString(event as Parameters<typeof eventToString>[0]).replace(/\s+/g, " ");
  return `${event.at} ${event.kind}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}: ${clip(text, EVENT_CHARS)}`;
}

async function documentBlock(path: string): Promise<string> {
  const text = ((await readText(path)) ?? "").trim();
  const shown = clip(text, DOCUMENT_CHARS);
  const rest = shown.length < text.length ? "\n\n[Cut here; the file has the rest.]" : "";
  return `## ${basename(path)} (${path})\n\n${shown}${rest}`;
}
