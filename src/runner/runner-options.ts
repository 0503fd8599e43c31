import { type Agent, isAgent } from "../agents/agent.ts";
import { checkEngine, checkGuards } from "../agents/check-members.ts";
import { checkOptions, type OptionKinds, shown } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord, type JsonObject } from "../core/json.ts";
import type { Engine } from "../engines/engine.ts";
import type { HistoryWindow } from "../messages/history.ts";
import type { SessionState, SessionStore, TurnRecord } from "../sessions/store.ts";
import type { CallGuard } from "../tools/call.ts";
import type { Approve } from "./approval.ts";

export interface RunnerOptions {
  /** Answers the first turns of new sessions. */
  readonly startingAgent: Agent;
  /** Default: in memory. */
  readonly sessionStore?: SessionStore;
  /** For agents without their own. Default: resolved from the agent's `model` and the environment, at the first turn. */
  readonly engine?: Engine;
  /** For the default engine only. */
  readonly apiKey?: string;
  /** Agent transfers in one turn. Default 5. */
  readonly maxHandoffsPerTurn?: number;
  /** Model-and-tools cycles in one turn; then one more answer without tools. Default 10. An agent's own limit goes first. */
  readonly maxToolIterations?: number;
  /** What of a long history is sent; what is stored is not cut. */
  readonly historyWindow?: HistoryWindow;
  /** Milliseconds without a sign of life from the provider. Default 120,000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds for tools without their own. Default 120,000. */
  readonly toolTimeoutMs?: number;
  /** Handed to every tool as `context.services`. */
  readonly services?: Readonly<Record<string, unknown>>;
  /** Run around every tool call of every agent. */
  readonly guards?: readonly CallGuard[];
  /** While another turn holds the session: wait in line (default) or reject with `session-busy`. */
  readonly onBusy?: "queue" | "reject";
  /** Decides about calls of tools that need approval. Without it, or when it says "pending", the turn pauses. */
  readonly approve?: Approve;
  readonly clock?: Clock;
}

const RUNNER_OPTIONS: OptionKinds<RunnerOptions> = {
  startingAgent: "any",
  sessionStore: "any",
  engine: "any",
  apiKey: "text",
  maxHandoffsPerTurn: "count",
  maxToolIterations: "count",
  historyWindow: "any",
  idleTimeoutMs: "ms",
  toolTimeoutMs: "ms",
  services: "record",
  guards: "list",
  onBusy: ["queue", "reject"],
  approve: "function",
  clock: "any",
};

/** Throws `bad-config`, naming it, for an unknown option or one that cannot hold its value. */
export function checkRunnerOptions(options: RunnerOptions): void {
  checkOptions("Runner", options, RUNNER_OPTIONS);
  if (!isAgent(options.startingAgent)) throw new FlowerError("bad-config", "Runner needs a startingAgent made with new Agent({ … }).");
  checkEngine("Runner", options.engine);
  checkGuards("Runner", options.guards);
  checkMember(options, "sessionStore", ["open", "read", "turns", "close"]);
  checkMember(options, "clock", ["now", "after"]);
  if (options.historyWindow !== undefined) {
    checkOptions<HistoryWindow>("Runner: historyWindow", options.historyWindow, { turns: "count", tokens: "count" });
  }
}

function checkMember(options: RunnerOptions, name: "sessionStore" | "clock", methods: readonly string[]): void {
  const given: unknown = options[name];
  if (given === undefined || (isRecord(given) && methods.every((method) => typeof given[method] === "function"))) return;
  throw new FlowerError("bad-config", `Runner: ${name} must be an object with the methods ${methods.join(", ")}, not ${shown(given)}.`);
}

export interface TurnRequest {
  /** Merged over the session's metadata for this turn. */
  readonly metadata?: JsonObject;
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole turn, from when it has the session to itself; default none. A smaller limit of the agent's wins. */
  readonly timeoutMs?: number;
}

/** A session as it stands, with every turn that was made in it. */
export interface SessionView extends SessionState {
  readonly turns: readonly TurnRecord[];
}

export interface StreamRequest extends TurnRequest {
  /** Also give `delta` events: fragments as they arrive. */
  readonly deltas?: boolean;
}
