import type { Agent } from "../agents/agent.ts";
import type { FlowerError } from "../core/errors.ts";
import type { Event } from "../messages/event.ts";
import type { ApprovalDecision, PendingCall } from "../runner/approval.ts";
import type { Steering } from "../runner/between.ts";
import type { CallGuard } from "../tools/call.ts";
import type { ToolContext } from "../tools/tool.ts";

/**
 * How the Runtime runs an agent. Every backend guarantees:
 *
 * 1. `run` yields only our Events, each with `agent`, `iteration` and the query's `step`; its own message types stay inside.
 * 2. Exactly one `result` event per query, the last, with the usage and cost of everything the query spent, also on failure.
 * 3. A failure is thrown as a FlowerError after its `result` event; what was finished before it stays in the session.
 * 4. The session is always resumable: after a failure, an abort or a death, a later query with `resume` goes on from the last
 *    finished iteration. Calls that had begun and have no result are answered "interrupted, effect unknown", never run again by
 *    themselves; those of idempotent tools may be.
 * 5. `onStarted` is called once, as soon as the prompt is durably part of the session; before that, a failed prompt must be
 *    given again.
 * 6. `steering` is asked between iterations and stops the query there; nothing in flight is torn.
 * 7. An abort ends the query within 2 s, with the signal's reason.
 * 8. A subagent's speech is marked in the payload and never part of the outcome's text. What it spends counts into the `result` of
 *    the query that started it; it has no `result` of its own.
 * 9. Every call, also of a built-in tool and of a subagent, passes the guards, and `approve` when its tool needs approval, before
 *    anything of it is done. What is refused, fails or does not exist is a result that the model reads; what a guard throws fails
 *    the query.
 * 10. An agent at its `maxIterations` answers once more without tools: `iteration-limit`. An agent with an output schema gives its
 *    answer as JSON text.
 *
 * `testBackend` of `flower-agents/testing` checks them by number.
 */
export interface Backend {
  readonly name: string;
  run(query: BackendQuery): AsyncGenerator<Event, BackendOutcome>;
  /** Whether the session exists and holds at least one reply, be it of an iteration that a death cut off. */
  hasSession(sessionId: string): Promise<boolean>;
  /** The context window of the agent's model, in tokens; undefined when it is not known. */
  window?(agent: Agent): Promise<number | undefined>;
  /** The address that the agent's requests go to, for probes without a request; undefined when it is not known. */
  endpoint?(agent: Agent): string | undefined;
  close(): Promise<void>;
}

export interface BackendQuery {
  readonly agent: Agent;
  readonly prompt: string;
  /** Who speaks in the prompt. */
  readonly promptFrom: "person" | "framework";
  /** A fresh id, or an existing session when `resume` is set. */
  readonly sessionId: string;
  readonly resume: boolean;
  /** Begin as a copy of this session, up to and including commit `at` (default: its last). */
  readonly fork?: { readonly from: string; readonly at?: number };
  /** The step's label, for event payloads. */
  readonly step?: string;
  /** The folder that tools work in. */
  readonly workspace: string;
  readonly guards: readonly CallGuard[];
  /**
   * The guards of a subagent: the last of `line`, which holds the agents from the query's own down to it. Default: `guards`, the
   * same as the query's own agent has.
   */
  readonly guardsFor?: (line: readonly Agent[]) => readonly CallGuard[];
  /**
   * Asked after the query of a subagent, `agent`, failed: true, once it is worth another try, in the same session; "uncounted" when
   * the one that failed was none, for want of a network. `attempt` is the number of tries so far. Without it a failure is the result
   * of the call that started the subagent.
   */
  readonly recover?: (error: FlowerError, attempt: number, agent: Agent) => Promise<boolean | "uncounted">;
  readonly services: Readonly<Record<string, unknown>>;
  readonly steering: Steering;
  /** Decides about calls of tools that need approval. */
  readonly approve: (call: PendingCall, context: ToolContext) => Promise<Omit<ApprovalDecision, "callId">>;
  readonly signal: AbortSignal;
  readonly deltas: boolean;
  readonly onStarted: () => void | Promise<void>;
}

export interface BackendOutcome {
  readonly kind: "done" | "iteration-limit" | "interrupted" | "budget" | "context-full";
  /** Main-thread prose of the last reply; "" unless done or iteration-limit. */
  readonly text: string;
  /** The last reply ended at the model's output limit. */
  readonly cut?: boolean;
  /** For `budget`: which limit. */
  readonly reason?: string;
}
