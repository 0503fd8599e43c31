import type { SessionLease } from "../../sessions/store.ts";

/** The same lease; `onCommit` is awaited after each commit, before whoever committed goes on. */
export function watchCommits(lease: SessionLease, onCommit: () => Promise<void>): SessionLease {
  return {
    sessionId: lease.sessionId,
    fence: lease.fence,
    lost: lease.lost,
    get state() {
      return lease.state;
    },
    begin: (turnId, entries) => lease.begin(turnId, entries),
    append: (...entries) => lease.append(...entries),
    async commit(options) {
      const number = await lease.commit(options);
      await onCommit();
      return number;
    },
    rollback: (reason) => lease.rollback(reason),
    pause: () => lease.pause(),
    release: () => lease.release(),
  };
}
