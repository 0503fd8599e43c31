import { linkAbort, throwIfAborted } from "../core/abort.ts";
import { type Clock, sleep, systemClock } from "../core/clock.ts";
import { isGone, processMark } from "../core/process-mark.ts";
import type { FaultHook } from "./fault.ts";
import { sessionBusy } from "./refusals.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SessionRow } from "./sqlite-queries.ts";
import type { OpenOptions } from "./store.ts";

/** A waiter that has not been heard of for this long is dead, and nobody waits for it. */
const WAITER_TTL_MS = 5_000;
const HEARTBEAT_MS = 1_000;
const FIRST_POLL_MS = 2;
const LONGEST_POLL_MS = 50;
/** Later than every ticket: who has not queued goes behind all who have. */
const NO_TICKET = Number.MAX_SAFE_INTEGER;

export interface AdmissionOptions {
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Ends all waiting. */
  readonly closing: AbortSignal;
  readonly fault?: FaultHook;
}

const OWN_MARK = processMark();

/**
 * Gives sessions to one process at a time: whoever finds the session free takes it; others draw a ticket and are served by number,
 * so that a process that opens a session again and again cannot starve the rest. What a process of this machine held when it died is
 * free at once, not only when its lease expires.
 */
export class SqliteAdmission {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #closing: AbortSignal;
  readonly #fault: FaultHook | undefined;

  constructor(options: AdmissionOptions) {
    this.#connection = options.connection;
    this.#clock = options.clock;
    this.#leaseMs = options.leaseMs;
    this.#closing = options.closing;
    this.#fault = options.fault;
  }

  /** The session's row, taken by a new lease. `left` is the row as a lease of this process left it, if there is one. */
  async take(sessionId: string, options: OpenOptions, left?: SessionRow): Promise<SessionRow> {
    this.#fault?.("open:before");
    const row = await this.#connection.write(() => (left && this.#takeAgain(left)) ?? this.#takeNow(sessionId, NO_TICKET));
    if (!row && options.onBusy === "reject") throw sessionBusy(sessionId);
    const taken = row ?? (await this.#wait(sessionId, options.signal));
    this.#fault?.("open:after");
    return taken;
  }

  /** Its row, if nobody has had the session since. */
  #takeAgain(left: SessionRow): SessionRow | undefined {
    const { key, fence, commit_no, turn_no } = left;
    const now = this.#clock.now();
    const expiry = now + this.#leaseMs;
    const { changes } = this.#connection.queries.retake.run(expiry, key, fence, commit_no, turn_no, now, now - WAITER_TTL_MS);
    return Number(changes) > 0 ? { ...left, fence: fence + 1 } : undefined;
  }

  #takeNow(sessionId: string, ticket: number): SessionRow | undefined {
    const { take, addSession } = this.#connection.queries;
    const now = this.#clock.now();
    const attempt = () => take.get(now + this.#leaseMs, OWN_MARK, sessionId, now, ticket, now - WAITER_TTL_MS) as SessionRow | undefined;
    const isNewlyFree = () => Number(addSession.run(sessionId).changes) > 0 || this.#freeFromDead(sessionId);
    return attempt() ?? (isNewlyFree() ? attempt() : undefined);
  }

  #freeFromDead(sessionId: string): boolean {
    const { holder, free } = this.#connection.queries;
    const held = holder.get(sessionId, this.#clock.now()) as { key: number; fence: number; holder: string } | undefined;
    if (!held || !isGone(held.holder)) return false;
    free.run(held.key, held.fence);
    return true;
  }

  async #wait(sessionId: string, signal: AbortSignal | undefined): Promise<SessionRow> {
    const ending = linkAbort(signal, this.#closing);
    try {
      return await this.#queue(sessionId, ending.signal);
    } finally {
      ending.dispose();
    }
  }

  async #queue(sessionId: string, signal: AbortSignal): Promise<SessionRow> {
    throwIfAborted(signal);
    const connection = this.#connection;
    const place = { ticket: await connection.write(() => this.#draw(sessionId)), beatAt: this.#clock.now() };
    try {
      // Real time, whatever the clock: what is waited for is another process.
      for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
        await sleep(systemClock, pause * (0.5 + Math.random()), signal);
        const row = await connection.write(() => this.#poll(sessionId, place));
        if (row) return row;
      }
    } catch (error) {
      await connection.write(() => this.#leaveLine(sessionId, place.ticket)).catch(() => {});
      throw error;
    }
  }

  #poll(sessionId: string, place: { ticket: number; beatAt: number }): SessionRow | undefined {
    const { mustWait, beat } = this.#connection.queries;
    const now = this.#clock.now();
    if (now - place.beatAt >= HEARTBEAT_MS) {
      // Given up for dead, after a long standstill: to the end of the line.
      if (Number(beat.run(now, sessionId, place.ticket).changes) === 0) place.ticket = this.#draw(sessionId);
      place.beatAt = now;
      this.#freeFromDead(sessionId);
    }
    if (mustWait.get(sessionId, now, place.ticket, now - WAITER_TTL_MS)) return undefined;
    const row = this.#takeNow(sessionId, place.ticket);
    if (row) this.#leaveLine(sessionId, place.ticket);
    return row;
  }

  #draw(sessionId: string): number {
    const place = this.#connection.queries.join.get(sessionId, this.#clock.now(), sessionId) as { ticket: number };
    return place.ticket;
  }

  /** Takes a ticket out of the line, and the tickets of the dead with it. */
  #leaveLine(sessionId: string, ticket: number): void {
    this.#connection.queries.leave.run(sessionId, ticket, this.#clock.now() - WAITER_TTL_MS);
  }
}
