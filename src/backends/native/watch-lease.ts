import { callsOf } from "../../messages/message.ts";
import type { JournalEntry, SessionLease } from "../../sessions/store.ts";

/**
 * The same lease; `onKept` is awaited whenever what was begun has become certain to stay, before whoever did it goes on: after each
 * commit, and after a reply that calls tools is journalled, which is kept whatever happens next.
 */
export function watchLease(lease: SessionLease, onKept: () => Promise<void>): SessionLease {
  return {
    sessionId: lease.sessionId,
    fence: lease.fence,
    lost: lease.lost,
    get state() {
      return lease.state;
    },
    begin: (turnId, entries) => lease.begin(turnId, entries),
    async append(...entries) {
      await lease.append(...entries);
      if (entries.some(callsTools)) await onKept();
    },
    async commit(options) {
      const number = await lease.commit(options);
      await onKept();
      return number;
    },
    rollback: (reason) => lease.rollback(reason),
    pause: () => lease.pause(),
    release: () => lease.release(),
  };
}

function callsTools(entry: JournalEntry): boolean {
  return entry.type === "message" && callsOf(entry.message).length > 0;
}
