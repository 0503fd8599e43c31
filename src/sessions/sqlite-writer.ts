import type { Clock } from "../core/clock.ts";
import { leaseLost, turnExists } from "./refusals.ts";
import { toStored } from "./sqlite-entries.ts";
import type { LoadedTurn, TurnPlace } from "./sqlite-loader.ts";
import type { SessionRow, SqliteQueries } from "./sqlite-queries.ts";
import type { CommitOptions, JournalEntry } from "./store.ts";

/** Brings what is remembered in line with what was written, once that is certain. */
export type Follow = () => void;

export interface CommitWrite extends Pick<CommitOptions, "end" | "activeAgent" | "entries"> {
  readonly number: number;
  /** JSON; only when it changes. */
  readonly metadata: string | undefined;
  /** Whether the lease ends with it. */
  readonly free: boolean;
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
  #row: SessionRow;
  readonly #queries: SqliteQueries;
  readonly #clock: Clock;
  /** The number of the newest turn. */
  #turnNo: number;
  #place: TurnPlace | undefined;
  /** The number of the newest entry. */
  #lastEntry: number;
  /** Whether the open turn's row says that it is paused. */
  #isAsleep: boolean;

  constructor(id: string, row: SessionRow, loaded: LoadedTurn | undefined, tools: WriterTools) {
    this.#id = id;
    this.fence = row.fence;
    this.#session = row.key;
    this.#row = row;
    this.#turnNo = row.turn_no;
    this.#place = loaded?.place;
    this.#lastEntry = loaded?.place.lastEntry ?? row.last_entry;
    this.#isAsleep = loaded?.turn.paused === true;
    this.#queries = tools.queries;
    this.#clock = tools.clock;
  }

  begin(turnId: string, entries: readonly JournalEntry[]): Follow {
    const turnNo = this.#turnNo + 1;
    const before = this.#lastEntry;
    this.#setOpenTurn(turnNo, turnNo);
    const { changes } = this.#queries.addTurn.run(this.#session, turnId, turnNo, before, this.#clock.now());
    if (Number(changes) === 0) throw turnExists(this.#id, turnId);
    return this.#moved({ turnId, turnNo, committedEntry: before, lastEntry: this.#add(before, entries) });
  }

  append(entries: readonly JournalEntry[]): Follow {
    this.#wake();
    const place = this.#turn;
    return this.#moved({ ...place, lastEntry: this.#add(place.lastEntry, entries) });
  }

  commit(write: CommitWrite): Follow {
    this.#wake();
    const { number, entries = [], metadata = null, activeAgent = null } = write;
    const { turnNo, committedEntry, lastEntry: before } = this.#turn;
    const last = this.#add(before, entries);
    const open = write.end ? null : turnNo;
    const expiry = write.free ? 0 : null;
    this.#assertHeld(this.#queries.setCommit.run(number, open, last, activeAgent, metadata, expiry, ...this.#claim()));
    this.#queries.addCommit.run(this.#session, number, turnNo, committedEntry, last, activeAgent, metadata);
    const moved = this.#moved({ ...this.#turn, committedEntry: last, lastEntry: last });
    return () => {
      moved();
      if (activeAgent !== null) this.#row = { ...this.#row, active_agent: activeAgent };
      if (metadata !== null) this.#row = { ...this.#row, metadata };
    };
  }

  rollBack(reason: string): Follow {
    this.#setOpenTurn(null);
    this.#setStatus("rolled-back", reason);
    return this.#moved(this.#turn);
  }

  pause(): Follow {
    this.#setOpenTurn(this.#turn.turnNo);
    this.#setStatus("paused");
    const moved = this.#moved(this.#turn);
    return () => {
      moved();
      this.#isAsleep = true;
    };
  }

  /** The open turn goes on; its row says so from the next write on. Throws when the lease is not held. */
  assertHeld(): void {
    if (!this.isHeld()) throw leaseLost(this.#id, EXPIRED);
  }

  /** False when the lease is lost. */
  renew(leaseMs: number): boolean {
    return Number(this.#queries.renew.run(this.#clock.now() + leaseMs, ...this.#claim()).changes) > 0;
  }

  isHeld(): boolean {
    return this.#queries.isHeld.get(...this.#claim()) !== undefined;
  }

  /** Frees the session; nothing when another lease has it by now. */
  free(): void {
    this.#queries.free.run(this.#session, this.fence);
  }

  /** The session's row as it is left without an open turn. */
  rowAfter(commit: number): SessionRow {
    return { ...this.#row, commit_no: commit, turn_no: this.#turnNo, open_turn: null, last_entry: this.#lastEntry };
  }

  get #turn(): TurnPlace {
    return this.#place as TurnPlace; // whoever calls has seen that a turn is open
  }

  /** A paused turn goes on with this write. */
  #wake(): void {
    if (this.#isAsleep) this.#setStatus(null);
  }

  /** Writes entries after the entry `last`; gives the number of the last one. */
  #add(last: number, entries: readonly JournalEntry[]): number {
    let no = last;
    for (const entry of entries) this.#assertHeld(this.#queries.addEntry.run(++no, ...toStored(entry), ...this.#claim()));
    return no;
  }

  #moved(place: TurnPlace): Follow {
    return () => {
      this.#place = place;
      this.#turnNo = place.turnNo;
      this.#lastEntry = place.lastEntry;
      this.#isAsleep = false;
    };
  }

  #setOpenTurn(open: number | null, newest = this.#turnNo): void {
    this.#assertHeld(this.#queries.setOpenTurn.run(open, newest, this.#lastEntry, ...this.#claim()));
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
