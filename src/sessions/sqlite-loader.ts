import { FlowerError } from "../core/errors.ts";
import { isRecord, type JsonObject, parseJson } from "../core/json.ts";
import { LiveState, LiveTurn } from "./live-state.ts";
import { verifyLoaded } from "./repair.ts";
import { toEntry, toMessage } from "./sqlite-entries.ts";
import type { EntryRow, SessionRow, SqliteQueries, TurnRow } from "./sqlite-queries.ts";

interface Cached {
  /** A deleted and remade session has another key. */
  readonly key: number;
  readonly state: LiveState;
  /** The row as the last lease of this process left it, without an open turn. */
  left?: SessionRow;
}

/** The open turn of a session, and where a lease goes on from. */
export interface LoadedTurn {
  readonly turn: LiveTurn;
  readonly place: TurnPlace;
}

/** Where an open turn stands. */
export interface TurnPlace {
  readonly turnId: string;
  /** Counted from 1 in the session. */
  readonly turnNo: number;
  /** The last entry that a commit covers, or that was there before the turn; counted from 1 in the session, 0 = none. */
  readonly committedEntry: number;
  /** The last one there is. */
  readonly lastEntry: number;
}

/** Brings sessions into memory, once: what was loaded stays, for the sessions used last, and only newer commits are read. */
export class SqliteLoader {
  readonly #queries: SqliteQueries;
  readonly #limit: number;
  /** Least recently used first. */
  readonly #cache = new Map<string, Cached>();

  constructor(queries: SqliteQueries, limit: number) {
    this.#queries = queries;
    this.#limit = limit;
  }

  /** The committed state of a session as its row says. */
  load(id: string, row: SessionRow): LiveState {
    const cached = this.#cache.get(id);
    this.#cache.delete(id);
    const usable = cached?.key === row.key && cached.state.commit <= row.commit_no;
    const state = usable ? cached.state : new LiveState(id);
    if (state.commit < row.commit_no) this.#readCommits(state, row);
    this.#keep(id, { key: row.key, state });
    return state;
  }

  /** The open turn that a session's row names. */
  loadTurn(id: string, row: SessionRow): LoadedTurn | undefined {
    if (row.open_turn === null) return undefined;
    const turn = this.#queries.turn.get(row.key, row.open_turn) as TurnRow | undefined;
    if (!turn) return undefined;
    const commit = this.#queries.commit.get(row.key, row.commit_no) as { turn: number; last_entry: number } | undefined;
    const committedEntry = commit?.turn === turn.no ? commit.last_entry : turn.after_entry;
    const rows = this.#queries.entriesAfter.all(row.key, committedEntry, row.key) as EntryRow[];
    const entries = rows.map((entry) => toEntry(entry, id));
    const lastEntry = rows.at(-1)?.no ?? committedEntry;
    const place = { turnId: turn.id, turnNo: turn.no, committedEntry, lastEntry };
    return { turn: new LiveTurn(turn.id, turn.status === "paused", entries), place };
  }

  /** Keeps the row as a lease left it; undefined when that is not known. */
  keepLeft(id: string, left: SessionRow | undefined): void {
    const cached = this.#cache.get(id);
    if (cached) cached.left = left?.key === cached.key ? left : undefined;
  }

  left(id: string): SessionRow | undefined {
    return this.#cache.get(id)?.left;
  }

  forget(id: string): void {
    this.#cache.delete(id);
  }

  #readCommits(state: LiveState, row: SessionRow): void {
    const from = state.history.length;
    for (const entry of this.#queries.history.all(row.key, state.commit, row.commit_no) as EntryRow[]) {
      const message = toMessage(entry, state.id);
      if (!message.aborted) state.history.push(message);
    }
    verifyLoaded(state.history, from, state.id);
    state.activeAgent = row.active_agent ?? undefined;
    state.metadata = toMetadata(row.metadata, state.id);
    state.commit = row.commit_no;
  }

  #keep(id: string, entry: Cached): void {
    this.#cache.set(id, entry);
    if (this.#cache.size <= this.#limit) return;
    for (const oldest of this.#cache.keys()) {
      this.#cache.delete(oldest);
      return;
    }
  }
}

function toMetadata(text: string, sessionId: string): JsonObject {
  const metadata = parseJson(text);
  if (isRecord(metadata)) return metadata as JsonObject;
  throw new FlowerError("history-invalid", `Session "${sessionId}": its stored metadata is not a JSON object.`, { details: { sessionId } });
}
