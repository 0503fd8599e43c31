import { AsyncLocalStorage } from "node:async_hooks";
import { FlowerError } from "../core/errors.ts";
import type { SessionStore } from "../sessions/store.ts";

/** A turn inside of which an application's code runs. Code that it started may run on after the turn is over. */
export interface EnclosingTurn {
  readonly store: SessionStore;
  readonly sessionId: string;
  outside: EnclosingTurn | undefined;
  over: boolean;
}

/** Set around tools and other code of the application only: while it is in use, Node makes every promise dearer. */
const enclosing = new AsyncLocalStorage<EnclosingTurn>();

/** Runs an application's code inside a turn. */
export function runInside<T>(turn: EnclosingTurn, work: () => T): T {
  return enclosing.run(turn, work);
}

/**
 * Refuses to wait for a session from inside its own turn: it would wait for ever. Returns the innermost open turn that encloses
 * the running code.
 */
export function refuseReentry(store: SessionStore, sessionId: string): EnclosingTurn | undefined {
  const outside = stillOpen(enclosing.getStore());
  for (let turn = outside; turn; turn = turn.outside) {
    turn.outside = stillOpen(turn.outside); // turns that start one another for ever must not hang on to each other
    if (turn.sessionId !== sessionId || turn.store !== store) continue;
    throw new FlowerError("reentrant-turn", `Session "${sessionId}" is in a turn that waits for this very call; it would wait for ever.`);
  }
  return outside;
}

/** The turn itself, or the innermost around it that is not over. */
function stillOpen(turn: EnclosingTurn | undefined): EnclosingTurn | undefined {
  let open = turn;
  while (open?.over) open = open.outside;
  return open;
}
