import type { Clock } from "../core/clock.ts";
import { leaseLost, turnExists } from "./refusals.ts";
import { toStored } from "./sqlite-entries.ts";
import type { LoadedTurn, TurnPlace } from "./sqlite-loader.ts";
import type { SessionRow, SqliteQueries } from "./sqlite-queries.ts";
import type { CommitOptions, JournalEntry } from "./store.ts";

/** Brings what is remembered in line with what was written, once that is certain. */
export type Follow = () => void;

export interface CommitWrite extends Pick<CommitOptions, "end" | "activeAgent"> {
  readonly number: number;
  /** JSON; only when it changes. */
  readonly metadata: string | undefined;
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
  /** When the open turn began, while its row is not written yet. */
  #unwritten: number | undefined;
  /** Whether the open turn's row says that it is paused. */
  #isAsleep: boolean;

  constructor(id: string, row: SessionRow, loaded: LoadedTurn | undefined, tools: WriterTools) {
    this.#id = id;
    this.fence = row.fence;
    this.#session = row.key;
    this.#turnNo = row.turn_no;
    this.#place = loaded?.place;
    this.#isAsleep = loaded?.turn.paused === true;
    this.#queries = tools.queries;
    this.#clock = tools.clock;
  }

  /** Prepares a turn. Its row is written together with what comes first in it: a turn without anything in it cannot lose anything. */
  begin(turnId: string): Follow {
    const [found] = this.#queries.canBegin.all(turnId, ...this.#claim()) as { exists_already: number }[];
    if (!found) throw leaseLost(this.#id, EXPIRED);
    if (found.exists_already) throw turnExists(this.#id, turnId);
    const startedAt = this.#clock.now();
    return () => {
      this.#turnNo++;
      this.#place = { turnId, turnNo: this.#turnNo, committedEntry: 0, lastEntry: 0 };
      this.#unwritten = startedAt;
    };
  }

  append(entry: JournalEntry): Follow {
    this.#writeTurn();
    const place = this.#turn;
    const lastEntry = place.lastEntry + 1;
    const { type, payload } = toStored(entry);
    this.#assertHeld(this.#queries.addEntry.run(place.turnNo, lastEntry, type, payload, ...this.#claim()));
    return this.#moved({ ...place, lastEntry });
  }

  commit(write: CommitWrite): Follow {
    this.#writeTurn();
    const { number, metadata = null, activeAgent = null } = write;
    const { turnNo, committedEntry, lastEntry } = this.#turn;
    this.#assertHeld(this.#queries.setCommit.run(number, write.end ? null : turnNo, activeAgent, metadata, ...this.#claim()));
    this.#queries.addCommit.run(this.#session, number, turnNo, committedEntry, lastEntry, activeAgent, metadata);
    return this.#moved({ ...this.#turn, committedEntry: lastEntry });
  }

  rollBack(reason: string): Follow {
    this.#writeTurn();
    this.#setOpenTurn(null);
    this.#setStatus("rolled-back", reason);
    return this.#moved(this.#turn);
  }

  pause(): Follow {
    this.#writeTurn();
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
    return this.#queries.isHeld.all(...this.#claim()).length > 0;
  }

  /** Frees the session; nothing when another lease has it by now. */
  free(): void {
    this.#queries.free.run(this.#session, this.fence);
  }

  get #turn(): TurnPlace {
    return this.#place as TurnPlace; // whoever calls has seen that a turn is open
  }

  /** Writes what a begin left to be written. */
  #writeTurn(): void {
    const { turnId, turnNo } = this.#turn;
    if (this.#isAsleep) this.#setStatus(null);
    if (this.#unwritten === undefined) return;
    this.#queries.addTurn.run(this.#session, turnId, turnNo, this.#unwritten);
    this.#setOpenTurn(turnNo);
  }

  #moved(place: TurnPlace): Follow {
    return () => {
      this.#place = place;
      this.#unwritten = undefined;
      this.#isAsleep = false;
    };
  }

  #setOpenTurn(open: number | null): void {
    this.#assertHeld(this.#queries.setOpenTurn.run(open, this.#turnNo, ...this.#claim()));
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
