import type { Clock } from "../core/clock.ts";
import { leaseLost, turnExists } from "./refusals.ts";
import { toStored } from "./sqlite-entries.ts";
import type { TurnPlace } from "./sqlite-loader.ts";
import type { SessionRow, SqliteQueries } from "./sqlite-queries.ts";
import type { CommitOptions, JournalEntry } from "./store.ts";

/** Brings what is remembered in line with what was written, once that is certain. */
export type Follow = () => void;

export interface CommitWrite extends Pick<CommitOptions, "end" | "activeAgent"> {
  readonly number: number;
  /** JSON; only when it changes. */
  readonly metadata: string | undefined;
  readonly wasPaused: boolean;
}

export interface WriterTools {
  readonly queries: SqliteQueries;
  readonly clock: Clock;
}

export const EXPIRED = "it expired, or another process took it over";

/**
 * The rows of one lease. Every write checks, in one of its statements, that the lease is still held, and throws `lease-lost`
 * otherwise; run in a transaction, it then leaves nothing behind. Synchronous.
 */
export class SqliteWriter {
  readonly fence: number;
  readonly #id: string;
  readonly #session: number;
  readonly #queries: SqliteQueries;
  readonly #clock: Clock;
  /** The number of the newest turn. */
  #turnNo: number;
  #place: TurnPlace | undefined;

  constructor(id: string, row: SessionRow, place: TurnPlace | undefined, tools: WriterTools) {
    this.#id = id;
    this.fence = row.fence;
    this.#session = row.key;
    this.#turnNo = row.turn_no;
    this.#place = place;
    this.#queries = tools.queries;
    this.#clock = tools.clock;
  }

  addTurn(turnId: string): Follow {
    const turnNo = this.#turnNo + 1;
    const added = this.#queries.addTurn.run(this.#session, turnId, turnNo, this.#clock.now());
    if (Number(added.changes) === 0) throw turnExists(this.#id, turnId);
    this.#setOpenTurn(turnNo, turnNo);
    return () => {
      this.#turnNo = turnNo;
      this.#place = { turnId, turnNo, committedEntry: 0, lastEntry: 0 };
    };
  }

  /** A single statement: needs no transaction around it. */
  append(entry: JournalEntry): Follow {
    const place = this.#turn;
    const lastEntry = place.lastEntry + 1;
    const { type, payload } = toStored(entry);
    this.#assertHeld(this.#queries.addEntry.run(place.turnNo, lastEntry, type, payload, ...this.#claim()));
    return () => {
      this.#place = { ...place, lastEntry };
    };
  }

  commit(write: CommitWrite): Follow {
    const { number, metadata = null, activeAgent = null } = write;
    const { turnNo, committedEntry, lastEntry } = this.#turn;
    this.#assertHeld(this.#queries.setCommit.run(number, write.end ? null : turnNo, activeAgent, metadata, ...this.#claim()));
    this.#queries.addCommit.run(this.#session, number, turnNo, committedEntry, lastEntry, activeAgent, metadata);
    if (write.wasPaused) this.#setStatus(null);
    return () => {
      this.#place = { ...this.#turn, committedEntry: lastEntry };
    };
  }

  rollBack(reason: string): void {
    this.#setOpenTurn(null);
    this.#setStatus("rolled-back", reason);
  }

  setPaused(paused: boolean): void {
    this.#setOpenTurn(this.#turn.turnNo);
    this.#setStatus(paused ? "paused" : null);
  }

  /** False when the lease is lost. */
  renew(leaseMs: number): boolean {
    return Number(this.#queries.renew.run(this.#clock.now() + leaseMs, ...this.#claim()).changes) > 0;
  }

  isHeld(): boolean {
    return this.#queries.isHeld.all(...this.#claim()).length > 0;
  }

  /** Frees the session; nothing when another lease has it by now. */
  free(): void {
    this.#queries.free.run(this.#session, this.fence);
  }

  get #turn(): TurnPlace {
    return this.#place as TurnPlace; // whoever calls has seen that a turn is open
  }

  #setOpenTurn(open: number | null, newest = this.#turnNo): void {
    this.#assertHeld(this.#queries.setOpenTurn.run(open, newest, ...this.#claim()));
  }

  #setStatus(status: "paused" | "rolled-back" | null, reason: string | null = null): void {
    this.#queries.setStatus.run(status, reason, this.#session, this.#turn.turnId);
  }

  /** The parameters of a check that the lease is held, now. */
  #claim(): [session: number, fence: number, now: number] {
    return [this.#session, this.fence, this.#clock.now()];
  }

  #assertHeld(result: { readonly changes: number | bigint }): void {
    if (Number(result.changes) === 0) throw leaseLost(this.#id, EXPIRED);
  }
}
