import { AsyncLocalStorage } from "node:async_hooks";
import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import type { SessionStore } from "../sessions/store.ts";

/** A turn inside of which an application's code runs. Code that it started may run on after the turn is over. */
export interface EnclosingTurn {
  readonly store: SessionStore;
  readonly sessionId: string;
  outside: EnclosingTurn | undefined;
  over: boolean;
}

/** In use only while code of the application waits: as long as it is, Node before 24 makes every promise of the process twice as dear. */
const enclosing = new AsyncLocalStorage<EnclosingTurn>();
let running = 0;

/** Whose code has been run, and whether it ever gave a promise: then the turn waits for what it does later, too. */
const waits = new WeakMap<object, boolean>();
/** The turn of code that runs right now and is not expected to wait. */
let atOnce: EnclosingTurn | undefined;

/**
 * Runs an application's code inside a turn. Code of an `owner` that has always been done at once is not followed beyond that: no
 * turn waits for what it may have started.
 */
export function runInside<T>(turn: EnclosingTurn, code: () => T, owner?: object): T {
  if (!owner) return runFollowed(turn, code);
  const waited = waits.get(owner);
  const result = waited === false ? runAtOnce(turn, code) : runFollowed(turn, code);
  if (!waited) waits.set(owner, isRecord(result) && "then" in result);
  return result;
}

function runAtOnce<T>(turn: EnclosingTurn, code: () => T): T {
  const before = atOnce;
  atOnce = turn;
  try {
    return code();
  } finally {
    atOnce = before;
  }
}

function runFollowed<T>(turn: EnclosingTurn, code: () => T): T {
  running++;
  let result: T | undefined;
  try {
    result = enclosing.run(turn, code);
    return result;
  } finally {
    if (result instanceof Promise) void result.then(leave, leave);
    else leave();
  }
}

function leave(): void {
  if (--running === 0) enclosing.disable();
}

/**
 * Refuses to wait for a session from inside its own turn: it would wait for ever. Returns the innermost open turn that encloses
 * the running code.
 */
export function refuseReentry(store: SessionStore, sessionId: string): EnclosingTurn | undefined {
  const outside = stillOpen(atOnce ?? enclosing.getStore());
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
