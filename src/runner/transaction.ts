import { type LinkedAbort, throwIfAborted } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import type { EventSink } from "../messages/event.ts";
import type { SessionLease, SessionStore } from "../sessions/store.ts";
import { type EnclosingTurn, refuseReentry } from "./enclosing.ts";
import type { AgentResponse } from "./response.ts";
import type { StreamRequest } from "./runner-options.ts";
import { TurnLimits } from "./turn-limits.ts";

/** What a turn is begun with. */
export interface TurnStart {
  readonly sessionId: string;
  readonly request: StreamRequest;
  /** Aborts with the caller's signal, the turn's timeout, the loss of the lease, and at close. */
  readonly link: LinkedAbort;
  readonly emit: EventSink;
}

/** A turn that has its session to itself. */
export interface TurnScope extends TurnStart {
  readonly lease: SessionLease;
  readonly here: EnclosingTurn;
  readonly limits: TurnLimits;
}

export type TurnWork = (scope: TurnScope) => Promise<AgentResponse>;

export interface TransactionOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly onBusy: "queue" | "reject";
}

/**
 * Holds the session's lease around a turn: it ends committed or paused, or nothing of it stays. One that was found open stays
 * open when the work fails.
 */
export async function transact(start: TurnStart, options: TransactionOptions, work: TurnWork): Promise<AgentResponse> {
  const { sessionId, link } = start;
  const { store, clock, onBusy } = options;
  const outside = refuseReentry(store, sessionId);
  throwIfAborted(link);
  const lease = await store.open(sessionId, { signal: link.signal, onBusy });
  if (lease.lost) link.follow(lease.lost);
  const limits = new TurnLimits({ clock, abort: link, timeoutMs: start.request.timeoutMs });
  const here: EnclosingTurn = { store, sessionId, outside, over: false };
  const found = lease.state.open?.turnId;
  try {
    return await work({ lease, here, limits, ...start });
  } catch (error) {
    const left = lease.state.open?.turnId === found ? lease.pause() : lease.rollback(String(error));
    await left.catch(nothing); // the first failure is the one to report
    throw error;
  } finally {
    here.over = true;
    limits.end();
    try {
      await lease.release();
    } catch {} // the turn has ended as it has; a lease that stays expires
  }
}

function nothing(): void {}
