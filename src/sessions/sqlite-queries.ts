import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";
import type { TurnRecord } from "./store.ts";

export interface SessionRow {
  readonly key: number;
  readonly fence: number;
  readonly commit_no: number;
  readonly active_agent: string | null;
  readonly metadata: string;
  /** The number of the newest turn, 0 = none yet. */
  readonly turn_no: number;
  /** The number of the turn that is open or paused. */
  readonly open_turn: number | null;
}

export interface EntryRow {
  /** Counted from 1 in its turn. */
  readonly no: number;
  readonly type: string;
  readonly payload: string;
}

export interface TurnRow {
  readonly no: number;
  readonly id: string;
  readonly status: TurnRecord["status"];
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  readonly reason: string | null;
}

const SESSION_COLUMNS = "key, fence, commit_no, active_agent, metadata, turn_no, open_turn";

/** Holds for a lease that may write. Parameters: the session's key, the lease's fence, now. */
const HELD = "key = ? AND fence = ? AND expires_at > ?";

/** Of `turns` joined with `sessions`. */
const TURN_COLUMNS = `turns.no, turns.id, started_at, reason,
  coalesce(status, CASE WHEN turns.no = open_turn THEN 'open' ELSE 'committed' END) AS status`;

const SQL = {
  // leases
  take: `UPDATE sessions SET fence = fence + 1, expires_at = ?, holder = ? WHERE id = ? AND expires_at <= ? AND NOT EXISTS
    (SELECT 1 FROM waiters WHERE waiters.session = sessions.id AND ticket < ? AND heartbeat > ?) RETURNING ${SESSION_COLUMNS}`,
  holder: "SELECT key, fence, holder FROM sessions WHERE id = ? AND expires_at > ?",
  isHeld: `SELECT 1 FROM sessions WHERE ${HELD}`,
  renew: `UPDATE sessions SET expires_at = ? WHERE ${HELD}`,
  free: "UPDATE sessions SET expires_at = 0 WHERE key = ? AND fence = ?",
  // the line of those who wait
  join: "INSERT INTO waiters SELECT ?, coalesce(max(ticket), 0) + 1, ? FROM waiters WHERE session = ? RETURNING ticket",
  beat: "UPDATE waiters SET heartbeat = ? WHERE session = ? AND ticket = ?",
  leave: "DELETE FROM waiters WHERE session = ? AND (ticket = ? OR heartbeat <= ?)",
  mustWait: `SELECT 1 FROM sessions WHERE id = ? AND (expires_at > ? OR EXISTS
    (SELECT 1 FROM waiters WHERE waiters.session = sessions.id AND ticket < ? AND heartbeat > ?))`,
  // sessions
  addSession: "INSERT INTO sessions (id) VALUES (?) ON CONFLICT DO NOTHING",
  session: `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?`,
  isUsed: "SELECT 1 FROM sessions WHERE key = ? AND turn_no > 0",
  list: "SELECT id FROM sessions WHERE commit_no > 0 AND id > ? AND id >= ? AND id < ? ORDER BY id LIMIT ?",
  setOpenTurn: `UPDATE sessions SET open_turn = ?, turn_no = ? WHERE ${HELD}`,
  setCommit: `UPDATE sessions SET commit_no = ?, open_turn = ?, active_agent = coalesce(?, active_agent), metadata = coalesce(?, metadata)
    WHERE ${HELD}`,
  // turns and what they journal
  // no row: the lease is not held
  canBegin: `SELECT EXISTS (SELECT 1 FROM turns WHERE session = key AND turns.id = ?) AS exists_already FROM sessions WHERE ${HELD}`,
  addTurn: "INSERT INTO turns (session, id, no, started_at) VALUES (?, ?, ?, ?)",
  setStatus: "UPDATE turns SET status = ?, reason = ? WHERE session = ? AND id = ?",
  turn: `SELECT ${TURN_COLUMNS} FROM turns JOIN sessions ON key = session WHERE session = ? AND turns.no = ?`,
  turns: `SELECT ${TURN_COLUMNS} FROM turns JOIN sessions ON key = session WHERE sessions.id = ? ORDER BY turns.no`,
  addEntry: `INSERT INTO entries (session, turn, no, type, payload) SELECT key, ?, ?, ?, ? FROM sessions WHERE ${HELD}`,
  entriesAfter: "SELECT no, type, payload FROM entries WHERE session = ? AND turn = ? AND no > ? ORDER BY no",
  journal: `SELECT e.no, type, payload FROM sessions s JOIN turns t ON t.session = s.key
    JOIN entries e ON e.session = s.key AND e.turn = t.no WHERE s.id = ? AND t.id = ? ORDER BY e.no`,
  // commits
  addCommit: "INSERT INTO commits (session, no, turn, after_entry, last_entry, active_agent, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)",
  commit: "SELECT no, turn, last_entry FROM commits WHERE session = ? AND no = ?",
  history: `SELECT e.no, e.type, e.payload FROM commits c JOIN entries e ON e.session = c.session AND e.turn = c.turn
    AND e.no > c.after_entry AND e.no <= c.last_entry
    WHERE c.session = ? AND c.no > ? AND c.no <= ? AND e.type IN ('user', 'model', 'tool', 'system') ORDER BY c.no, e.no`,
  // forks: plain parameters only, better-sqlite3 and node:sqlite take numbered ones for named
  forkEntries: `INSERT INTO entries SELECT ?, e.turn, e.no, e.type, e.payload FROM commits c JOIN entries e ON e.session = c.session
    AND e.turn = c.turn AND e.no > c.after_entry AND e.no <= c.last_entry WHERE c.session = ? AND c.no <= ?`,
  forkTurns: `INSERT INTO turns SELECT ?, id, no, started_at, NULL, NULL FROM turns WHERE session = ?
    AND no IN (SELECT turn FROM commits WHERE session = ? AND no <= ?)`,
  forkCommits: `INSERT INTO commits SELECT ?, no, turn, after_entry, last_entry, active_agent, metadata FROM commits
    WHERE session = ? AND no <= ?`,
  forkSession: `UPDATE sessions SET commit_no = ?, turn_no = (SELECT max(no) FROM turns WHERE session = ?),
    active_agent = (SELECT active_agent FROM commits WHERE session = ? AND no <= ? AND active_agent IS NOT NULL ORDER BY no DESC),
    metadata = coalesce((SELECT metadata FROM commits WHERE session = ? AND no <= ? AND metadata IS NOT NULL ORDER BY no DESC), '{}')
    WHERE key = ?`,
  // removal
  dropEntries: "DELETE FROM entries WHERE session = ?",
  dropTurns: "DELETE FROM turns WHERE session = ?",
  dropCommits: "DELETE FROM commits WHERE session = ?",
  dropSession: "DELETE FROM sessions WHERE key = ?",
} as const;

/** Every statement the store uses, prepared once. */
export type SqliteQueries = Readonly<Record<keyof typeof SQL, SqliteStatement>>;

export function prepareQueries(database: SqliteDatabase): SqliteQueries {
  return Object.fromEntries(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)])) as Record<
    keyof typeof SQL,
    SqliteStatement
  >;
}
