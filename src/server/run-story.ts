import type { Event, LoggedEvent, TaskPayload } from "../messages/event.ts";
import { isReadable } from "../messages/readable.ts";
import type { AskView, RunState } from "./run-control.ts";
import { initialStatus, knownCost, reduceStatus, type StatusState } from "./status-state.ts";

/** What a run's log tells of where it is. */
export interface RunStory {
  readonly status: StatusState;
  /** ISO instants of the first event and of the end. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly verdict?: RunState["verdict"];
  readonly end?: Extract<TaskPayload, { type: "run-end" }>;
  readonly lastSeq: number;
  /** Something was done or asked. Not so when a start found everything finished. */
  readonly didWork: boolean;
}

export const EMPTY_STORY: RunStory = { status: initialStatus(0), lastSeq: 0, didWork: false };

/** The story after one more event. Pure; a kind it does not know changes nothing but the number. */
export function reduceStory(story: RunStory, logged: LoggedEvent): RunStory {
  const event = logged as unknown as Event; // the log's lines are our events; what comes from a newer version falls through
  const status = reduceStatus(story.status, event, Date.parse(logged.at));
  const didWork = story.didWork || (event.kind !== "task" && event.kind !== "step");
  const next = { ...story, status, startedAt: story.startedAt ?? logged.at, lastSeq: logged.seq, didWork };
  if (event.kind !== "task" || !isReadable(event)) return { ...next, end: undefined, endedAt: undefined };
  const { payload } = event;
  if (payload.type === "run-end") return { ...next, end: payload, endedAt: logged.at };
  if (payload.type !== "verdict") return next;
  const { step, round, state, reason, checks } = payload;
  return { ...next, verdict: { step, round, state, reason, checks } };
}

export interface RunFacts {
  readonly run: string;
  readonly chain: readonly string[];
  readonly isAlive: boolean;
  readonly asks: readonly AskView[];
}

export function toRunState(story: RunStory, facts: RunFacts): RunState {
  const { status, end, startedAt, endedAt, verdict, lastSeq } = story;
  const cost = knownCost(status);
  return {
    run: facts.run,
    chain: facts.chain,
    state: end ? "ended" : facts.isAlive ? "running" : "gone",
    startedAt,
    endedAt,
    step: status.step,
    round: status.round,
    context: status.context,
    handoffAt: status.handoffAt,
    costUsd: cost?.usd,
    costComplete: !status.costIncomplete,
    activity: facts.isAlive ? status.activity.kind : "idle",
    asks: facts.asks.filter((ask) => ask.state === "asked"),
    verdict,
    outcome: end?.outcome,
    exitCode: end?.exitCode,
    failedAt: end?.failedAt,
    reason: end?.reason,
    lastSeq,
  };
}
