import { AsyncLocalStorage } from "node:async_hooks";
import { type Agent, isAgent } from "../agents/agent.ts";
import { AgentGraph } from "../agents/agent-graph.ts";
import { EngineBook } from "../agents/engine-book.ts";
import { linkAbort, throwIfAborted } from "../core/abort.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Engine } from "../engines/engine.ts";
import type { Event } from "../messages/event.ts";
import type { HistoryWindow } from "../messages/history.ts";
import { type Message, toParts, type UserInput } from "../messages/message.ts";
import { MemorySessionStore } from "../sessions/memory.ts";
import type { SessionLease, SessionState, SessionStore, TurnRecord } from "../sessions/store.ts";
import type { CallGuard } from "../tools/call.ts";
import type { ApprovalDecision, Approve } from "./approval.ts";
import { agentMissing, discardLeftover } from "./leftover.ts";
import { type AgentResponse, toResponse } from "./response.ts";
import { restoreTurn } from "./restore-turn.ts";
import { Run } from "./run.ts";
import { runTurn } from "./run-turn.ts";
import { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";

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

export interface TurnRequest {
  /** Merged over the session's metadata for this turn. */
  readonly metadata?: JsonObject;
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole turn, from when it has the session to itself; default none. */
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

export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_HANDOFFS = 5;
const DEFAULT_MAX_ITERATIONS = 10;
const CLOSE_GRACE_MS = 10_000;

/** A turn inside of which code runs. Code that it started may run on after it. */
interface EnclosingTurn {
  readonly store: SessionStore;
  readonly sessionId: string;
  over: boolean;
}

/** The turns that enclose the running code: who waits in it for the session of one that is not over would wait for ever. */
const enclosing = new AsyncLocalStorage<readonly EnclosingTurn[]>();

/**
 * Holds conversations. Each call of `run` is one turn and one transaction: the user's message, every reply, every tool result
 * and the active agent become history together, or not at all. Make one per application and share it.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #graph: AgentGraph;
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #engines: EngineBook;
  readonly #running = new Map<Promise<unknown>, (reason: unknown) => void>();
  readonly #outliving = new Set<Promise<void>>();
  #closed = false;

  constructor(options: RunnerOptions) {
    if (!isAgent(options.startingAgent)) throw new FlowerError("bad-config", "Runner needs a startingAgent made with new Agent({ … }).");
    this.#options = options;
    this.#graph = new AgentGraph(options.startingAgent);
    this.#engines = new EngineBook(options);
    this.#store = options.sessionStore ?? new MemorySessionStore();
    this.#clock = options.clock ?? systemClock;
  }

  /** Every agent known, by name. */
  get agents(): ReadonlyMap<string, Agent> {
    return this.#graph.agents;
  }

  /** Adds an agent that the starting one does not reach. */
  registerAgent(agent: Agent): void {
    this.#graph.add(agent);
  }

  /**
   * Runs one turn to its end. Rejects with a FlowerError, or with the signal's reason; the session is then as before the turn. A
   * turn that another process left open, or that waits for approval, is dropped first; an event says so.
   */
  run(sessionId: string, input: UserInput, request: TurnRequest = {}): Promise<AgentResponse> {
    return this.stream(sessionId, input, request).response;
  }

  /** Starts one turn and gives it as events while it runs. */
  stream(sessionId: string, input: UserInput, request: StreamRequest = {}): Run<AgentResponse> {
    return this.#start(sessionId, request, (lease, signal) => this.#newTurn(lease, input, request, signal));
  }

  /**
   * Goes on with a turn that waits for approval, in whatever process: runs the calls that are approved, once, answers the others,
   * and continues. Calls without a decision stay pending. When it fails, the turn stays open with what was done, to be resumed
   * again. Rejects with `not-found` when no turn is open.
   */
  resume(sessionId: string, decisions: readonly ApprovalDecision[], request: TurnRequest = {}): Promise<AgentResponse> {
    return this.resumeStream(sessionId, decisions, request).response;
  }

  /** The same, as events. */
  resumeStream(sessionId: string, decisions: readonly ApprovalDecision[], request: StreamRequest = {}): Run<AgentResponse> {
    return this.#start(sessionId, request, (lease, signal) => this.#openTurnAgain(lease, decisions, request, signal), "pause");
  }

  /**
   * Goes on with a turn that a process left open when it ended: from its last complete result on. Calls that were in flight are
   * run again only if their tool is idempotent; the others are answered "effect unknown". Rejects with `not-found` when no turn
   * is open. To drop it instead, use `discard`, or just send the next message.
   */
  recover(sessionId: string, request: TurnRequest = {}): Promise<AgentResponse> {
    return this.resume(sessionId, [], request);
  }

  /** Drops a turn that was left open or waits for approval. False when there is none. */
  async discard(sessionId: string): Promise<boolean> {
    this.#refuseReentry(sessionId);
    const lease = await this.#store.open(sessionId);
    try {
      if (!lease.state.open) return false;
      await lease.rollback("discarded");
      return true;
    } finally {
      await lease.release();
    }
  }

  /** A session's committed state and its turns, read-only; undefined when it has none. */
  async session(sessionId: string): Promise<SessionView | undefined> {
    const state = await this.#store.read(sessionId);
    return state && { ...state, turns: await this.#store.turns(sessionId) };
  }

  /** Replaces a session's metadata. */
  async setMetadata(sessionId: string, metadata: JsonObject): Promise<void> {
    this.#refuseReentry(sessionId);
    const lease = await this.#store.open(sessionId);
    try {
      if (lease.state.open)
        throw new FlowerError("session-busy", `A turn of session "${sessionId}" is open; resume, recover or discard it first.`);
      await lease.begin(newId());
      await lease.commit({ end: true, activeAgent: lease.state.activeAgent, metadata });
    } finally {
      await lease.release();
    }
  }

  /** Waits for running turns and for tools that outlived theirs; after the grace period (10 s) turns are aborted, tools left. */
  async close(): Promise<void> {
    this.#closed = true;
    let cancel = nothing;
    const graceOver = new Promise<void>((resolve) => {
      cancel = this.#clock.after(CLOSE_GRACE_MS, resolve);
    });
    await Promise.race([graceOver, this.#settled()]);
    cancel();
    const reason = new FlowerError("aborted", "The Runner was closed.");
    for (const abort of this.#running.values()) abort(reason);
    await Promise.all(this.#running.keys());
    await this.#store.close();
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#running.keys());
    await Promise.all(this.#outliving);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(sessionId: string, request: StreamRequest, work: TurnWork, onFailure: "rollback" | "pause" = "rollback"): Run<AgentResponse> {
    const link = linkAbort(request.signal);
    const run = new Run(this.#transact(sessionId, request, link.signal, work, onFailure), (reason) => link.abort(reason));
    const over = run.response.then(nothing, nothing);
    this.#running.set(over, (reason) => link.abort(reason));
    void over.then(() => {
      link.dispose();
      this.#running.delete(over);
    });
    return run;
  }

  /** Holds the session's lease around a turn: it ends committed or paused, or nothing of it stays. */
  async *#transact(
    sessionId: string,
    request: StreamRequest,
    outer: AbortSignal,
    work: TurnWork,
    onFailure: "rollback" | "pause",
  ): AsyncGenerator<Event, AgentResponse> {
    if (this.#closed) throw new FlowerError("bad-input", "The Runner is closed.");
    const outside = this.#refuseReentry(sessionId);
    throwIfAborted(outer);
    const lease = await this.#store.open(sessionId, { signal: outer, onBusy: this.#options.onBusy ?? "queue" });
    const link = linkAbort(outer, lease.lost);
    const cancel = this.#startTimer(request.timeoutMs, link.abort);
    const here: EnclosingTurn = { store: this.#store, sessionId, over: false };
    try {
      return yield* within([...outside, here], work(lease, link.signal));
    } catch (error) {
      const left = onFailure === "pause" ? lease.pause() : lease.rollback(String(error));
      await left.catch(nothing); // the first failure is the one to report
      throw error;
    } finally {
      here.over = true;
      cancel();
      link.dispose();
      await lease.release().catch(nothing); // the turn has ended as it has; a lease that stays expires
    }
  }

  /** Refuses to wait for a session from inside its own turn; returns the turns that enclose the running code. */
  #refuseReentry(sessionId: string): readonly EnclosingTurn[] {
    const outside = (enclosing.getStore() ?? []).filter((turn) => !turn.over);
    if (!outside.some((turn) => turn.sessionId === sessionId && turn.store === this.#store)) return outside;
    throw new FlowerError("reentrant-turn", `Session "${sessionId}" is in a turn that waits for this very call; it would wait for ever.`);
  }

  async *#newTurn(
    lease: SessionLease,
    input: UserInput,
    request: StreamRequest,
    signal: AbortSignal,
  ): AsyncGenerator<Event, AgentResponse> {
    throwIfAborted(signal); // the session came too late
    yield* discardLeftover(lease);
    const turn = this.#openTurn(lease, request.metadata ?? {});
    const { activeAgent } = lease.state;
    if (activeAgent !== undefined && activeAgent !== turn.agent.name) yield agentMissing(activeAgent, turn.agent.name);
    await turn.begin();
    const prompt = turn.message("user", [...toParts(input)], { origin: "person" });
    return yield* this.#finish(turn, prompt, this.#turnOptions(signal, request));
  }

  async *#openTurnAgain(
    lease: SessionLease,
    decisions: readonly ApprovalDecision[],
    request: StreamRequest,
    signal: AbortSignal,
  ): AsyncGenerator<Event, AgentResponse> {
    const { open } = lease.state;
    if (!open) throw new FlowerError("not-found", `No turn of session "${lease.sessionId}" is open.`);
    const turn = this.#openTurn(lease, request.metadata ?? {}, open.turnId);
    restoreTurn(turn, open, this.#graph);
    await turn.begin();
    const decided = new Map(decisions.map((decision) => [decision.callId, decision]));
    return yield* this.#finish(turn, undefined, { ...this.#turnOptions(signal, request), decisions: decided });
  }

  async *#finish(turn: OpenTurn, prompt: Message | undefined, options: TurnOptions): AsyncGenerator<Event, AgentResponse> {
    const outcome = yield* runTurn(turn, prompt, options);
    switch (outcome.kind) {
      case "needs-approval":
      case "done":
      case "iteration-limit":
        return toResponse(turn, outcome);
      default:
        throw new FlowerError("unknown", `A conversation's turn cannot end as "${outcome.kind}".`);
    }
  }

  #openTurn(lease: SessionLease, metadata: JsonObject, turnId?: string): OpenTurn {
    const { activeAgent, metadata: own } = lease.state;
    const agent = (activeAgent === undefined ? undefined : this.#graph.get(activeAgent)) ?? this.#options.startingAgent;
    return new OpenTurn(lease, { unit: "turn", agent, metadata: { ...own, ...metadata }, clock: this.#clock, turnId });
  }

  #turnOptions(signal: AbortSignal, request: StreamRequest): TurnOptions {
    const options = this.#options;
    return {
      graph: this.#graph,
      engineOf: (agent) => this.#engines.of(agent),
      signal,
      clock: this.#clock,
      idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      toolTimeoutMs: options.toolTimeoutMs,
      maxIterations: options.maxToolIterations ?? DEFAULT_MAX_ITERATIONS,
      maxHandoffs: options.maxHandoffsPerTurn ?? DEFAULT_MAX_HANDOFFS,
      window: options.historyWindow,
      guards: options.guards ?? [],
      services: options.services ?? {},
      path: [],
      origin: {},
      deltas: request.deltas ?? false,
      approve: options.approve,
      onOutlived: (still) => this.#track(still),
    };
  }

  /** A tool that went on after its call was given up; `close` waits for it. */
  #track(still: Promise<void>): void {
    this.#outliving.add(still);
    void still.then(() => this.#outliving.delete(still));
  }

  #startTimer(ms: number | undefined, abort: (reason: unknown) => void): () => void {
    if (ms === undefined) return () => {};
    return this.#clock.after(ms, () => abort(new FlowerError("turn-timeout", `The turn was stopped after ${ms / 1000} s.`)));
  }
}

type TurnWork = (lease: SessionLease, signal: AbortSignal) => AsyncGenerator<Event, AgentResponse>;

function nothing(): void {}

/** Runs a generator's every step inside the given turns. */
async function* within<T, R>(turns: readonly EnclosingTurn[], turn: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  for (;;) {
    const next = await enclosing.run(turns, () => turn.next());
    if (next.done) return next.value;
    yield next.value;
  }
}
