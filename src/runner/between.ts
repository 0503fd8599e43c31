import { throwIfAborted } from "../core/abort.ts";
import { type PlannedCall, planCall } from "./planned-call.ts";
import type { OpenTurn } from "./turn.ts";
import type { TurnOptions, TurnOutcome } from "./turn-loop.ts";

/** Whoever may steer a turn from outside. Asked between iterations, in the order of these members, and nowhere else. */
export interface Steering {
  /** A person wants to speak: stop here, the words follow as the next prompt. */
  interrupted(): boolean;
  /** Why no further model call may be made, or undefined. */
  overBudget(): string | undefined;
  /**
   * Sets aside what the next model call may take at most. Why the call may not be made then, or undefined. Asked after
   * `contextFull`: a call that will not be made needs no money.
   */
  reserve?(plan: () => PlannedCall): Promise<string | undefined>;
  /** The newest call of this thread (see `PlannedCall`) failed: what was set aside for it is free again. */
  release?(thread: string): void;
  /** The context is too full for another iteration. */
  contextFull(context: number): boolean;
  /** News for the model, given once: mail has come. */
  notice(): string | undefined;
}

/** The one boundary: abort → interrupt → budget → context → mail. Limits of iterations are the loop's condition. */
export function between(turn: OpenTurn, options: TurnOptions): TurnOutcome | undefined | Promise<TurnOutcome | undefined> {
  throwIfAborted(options.abort);
  options.limits?.check(turn);
  return options.steering && steer(turn, options.steering, options);
}

async function steer(turn: OpenTurn, steering: Steering, options: TurnOptions): Promise<TurnOutcome | undefined> {
  if (steering.interrupted()) return { kind: "interrupted" };
  const reason = steering.overBudget();
  if (reason !== undefined) return { kind: "budget", reason };
  if (steering.contextFull(turn.context)) return { kind: "context-full", context: turn.context };
  const refused = await steering.reserve?.(() => planCall(turn, options));
  if (refused !== undefined) return { kind: "budget", reason: refused };
  const notice = steering.notice();
  if (notice !== undefined) await turn.journal(turn.message("user", [{ type: "text", text: notice }], { origin: "framework" }));
  return undefined;
}
