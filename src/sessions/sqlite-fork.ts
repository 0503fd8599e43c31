import { sessionExists, sessionMissing } from "./refusals.ts";
import type { SessionRow, SqliteQueries } from "./sqlite-queries.ts";

export interface ForkRequest {
  readonly from: string;
  readonly to: string;
  readonly at: number | undefined;
  readonly now: number;
}

/** Copies a session's commits up to `at`, with the turns and entries they cover. To be used inside a transaction. */
export function forkSession(queries: SqliteQueries, request: ForkRequest): void {
  const source = sessionRow(queries, request.from);
  if (!source || source.commit_no === 0) throw sessionMissing(request.from);
  const at = request.at ?? source.commit_no;
  if (!queries.commit.get(source.key, at)) {
    throw sessionMissing(request.from, `no commit ${at}, only 1 to ${source.commit_no}`);
  }
  const target = addTarget(queries, request);
  queries.forkEntries.run(target, source.key, at);
  queries.forkTurns.run(target, source.key, source.key, at);
  queries.forkCommits.run(target, source.key, at);
  queries.forkSession.run(at, target, target, source.key, at, source.key, at, target);
}

function sessionRow(queries: SqliteQueries, id: string): SessionRow | undefined {
  return queries.session.get(id) as SessionRow | undefined;
}

/** The new session's key. One that was only ever opened, and is not held, may be used: there is nothing in it. */
function addTarget(queries: SqliteQueries, { to, now }: ForkRequest): number {
  queries.addSession.run(to);
  const { key, fence } = sessionRow(queries, to) as SessionRow;
  if (queries.isUsed.get(key) || queries.isHeld.get(key, fence, now)) throw sessionExists(to);
  return key;
}
