import { type Agent, isAgent } from "../agents/agent.ts";
import { AgentGraph } from "../agents/agent-graph.ts";
import { EngineBook } from "../agents/engine-book.ts";
import { type LinkedAbort, linkAbort, throwIfAborted } from "../core/abort.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Event, EventSink } from "../messages/event.ts";
import type { Message, UserInput } from "../messages/message.ts";
import { MemorySessionStore } from "../sessions/memory.ts";
import type { SessionLease, SessionStore } from "../sessions/store.ts";
import type { ApprovalDecision } from "./approval.ts";
import { checkedParts, checkSessionId } from "./check-input.ts";
import { type EnclosingTurn, refuseReentry, runInside } from "./enclosing.ts";
import { agentMissing, discardLeftover } from "./leftover.ts";
import { type AgentResponse, toResponse } from "./response.ts";
import { restoreTurn } from "./restore-turn.ts";
import { Run } from "./run.ts";
import { runTurn } from "./run-turn.ts";
import { checkRunnerOptions, type RunnerOptions, type SessionView, type StreamRequest, type TurnRequest } from "./runner-options.ts";
import { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";

export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_HANDOFFS = 5;
const DEFAULT_MAX_ITERATIONS = 10;
const CLOSE_GRACE_MS = 10_000;

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
  readonly #running = new Map<Promise<void>, LinkedAbort>();
  readonly #outliving = new Set<Promise<void>>();
  #closed = false;

  constructor(options: RunnerOptions) {
    checkRunnerOptions(options);
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
    return this.#start(sessionId, request, (scope) => this.#newTurn(scope, input));
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
    return this.#start(sessionId, request, (scope) => this.#openTurnAgain(scope, decisions));
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
    checkSessionId(sessionId);
    refuseReentry(this.#store, sessionId);
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
    checkSessionId(sessionId);
    const state = await this.#store.read(sessionId);
    return state && { ...state, turns: await this.#store.turns(sessionId) };
  }

  /** Replaces a session's metadata. */
  async setMetadata(sessionId: string, metadata: JsonObject): Promise<void> {
    checkSessionId(sessionId);
    refuseReentry(this.#store, sessionId);
    const lease = await this.#store.open(sessionId);
    try {
      if (lease.state.open) {
        await lease.pause(); // else it would end with the lease
        throw new FlowerError("session-busy", `A turn of session "${sessionId}" is open; resume, recover or discard it first.`);
      }
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
    for (const link of this.#running.values()) link.abort(reason);
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

  #start(sessionId: string, request: StreamRequest, work: TurnWork): Run<AgentResponse> {
    const link = linkAbort(request.signal);
    const run = new Run<AgentResponse>(
      (emit) => this.#transact({ sessionId, request, link, emit }, work),
      (reason) => link.abort(reason),
    );
    const forget = () => {
      link.dispose();
      this.#running.delete(over);
    };
    const over = run.response.then(forget, forget);
    this.#running.set(over, link);
    return run;
  }

  /**
   * Holds the session's lease around a turn: it ends committed or paused, or nothing of it stays. One that was found open stays
   * open when the work fails.
   */
  async #transact(start: TurnStart, work: TurnWork): Promise<AgentResponse> {
    const { sessionId, link } = start;
    checkSessionId(sessionId);
    if (this.#closed) throw new FlowerError("bad-input", "The Runner is closed.");
    const outside = refuseReentry(this.#store, sessionId);
    throwIfAborted(link);
    const lease = await this.#store.open(sessionId, { signal: link.signal, onBusy: this.#options.onBusy ?? "queue" });
    if (lease.lost) link.follow(lease.lost);
    const cancel = this.#startTimer(start.request.timeoutMs, link);
    const here: EnclosingTurn = { store: this.#store, sessionId, outside, over: false };
    const found = lease.state.open?.turnId;
    try {
      return await work({ lease, here, ...start });
    } catch (error) {
      const left = lease.state.open?.turnId === found ? lease.pause() : lease.rollback(String(error));
      await left.catch(nothing); // the first failure is the one to report
      throw error;
    } finally {
      here.over = true;
      cancel();
      await lease.release().catch(nothing); // the turn has ended as it has; a lease that stays expires
    }
  }

  async #newTurn(scope: TurnScope, input: UserInput): Promise<AgentResponse> {
    const { lease, emit, link } = scope;
    throwIfAborted(link); // the session came too late
    const parts = checkedParts(input); // before anything of the session is touched
    const discarded = await discardLeftover(lease);
    if (discarded) emit(discarded);
    const turn = this.#openTurn(lease, scope.request.metadata);
    const { activeAgent } = lease.state;
    if (activeAgent !== undefined && activeAgent !== turn.agent.name) emit(agentMissing(activeAgent, turn.agent.name));
    await turn.begin();
    const prompt = turn.message("user", [...parts], { origin: "person" });
    return this.#finish(turn, prompt, this.#turnOptions(scope), emit);
  }

  async #openTurnAgain(scope: TurnScope, decisions: readonly ApprovalDecision[]): Promise<AgentResponse> {
    const { lease } = scope;
    const { open } = lease.state;
    if (!open) throw new FlowerError("not-found", `No turn of session "${lease.sessionId}" is open.`);
    const turn = this.#openTurn(lease, scope.request.metadata, open.turnId);
    restoreTurn(turn, open, this.#graph);
    await turn.begin();
    const decided = new Map(decisions.map((decision) => [decision.callId, decision]));
    return this.#finish(turn, undefined, { decisions: decided, ...this.#turnOptions(scope) }, scope.emit);
  }

  async #finish(turn: OpenTurn, prompt: Message | undefined, options: TurnOptions, emit: EventSink): Promise<AgentResponse> {
    const outcome = await drain(runTurn(turn, prompt, options), emit);
    switch (outcome.kind) {
      case "needs-approval":
      case "done":
      case "iteration-limit":
        return toResponse(turn, outcome);
      default:
        throw new FlowerError("unknown", `A conversation's turn cannot end as "${outcome.kind}".`);
    }
  }

  #openTurn(lease: SessionLease, metadata: JsonObject | undefined, turnId?: string): OpenTurn {
    const { activeAgent, metadata: own } = lease.state;
    const agent = (activeAgent === undefined ? undefined : this.#graph.get(activeAgent)) ?? this.#options.startingAgent;
    return new OpenTurn(lease, { unit: "turn", agent, metadata: metadata ? { ...own, ...metadata } : own, clock: this.#clock, turnId });
  }

  #turnOptions({ here, link, request, emit }: TurnScope): TurnOptions {
    const options = this.#options;
    return {
      graph: this.#graph,
      engineOf: (agent) => this.#engines.of(agent),
      abort: link,
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
      deltas: request.deltas ? emit : false,
      approve: options.approve,
      onOutlived: (still) => this.#track(still),
      enclose: (code) => runInside(here, code),
    };
  }

  /** A tool that went on after its call was given up; `close` waits for it. */
  #track(still: Promise<void>): void {
    this.#outliving.add(still);
    void still.then(() => this.#outliving.delete(still));
  }

  #startTimer(ms: number | undefined, link: LinkedAbort): () => void {
    if (ms === undefined) return nothing;
    return this.#clock.after(ms, () => link.abort(new FlowerError("turn-timeout", `The turn was stopped after ${ms / 1000} s.`)));
  }
}

interface TurnStart {
  readonly sessionId: string;
  readonly request: StreamRequest;
  /** Aborts with the caller's signal, the turn's timeout, the loss of the lease, and at close. */
  readonly link: LinkedAbort;
  readonly emit: EventSink;
}

interface TurnScope extends TurnStart {
  readonly lease: SessionLease;
  readonly here: EnclosingTurn;
}

type TurnWork = (scope: TurnScope) => Promise<AgentResponse>;

function nothing(): void {}

async function drain<R>(events: AsyncGenerator<Event, R>, emit: EventSink): Promise<R> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    emit(next.value);
  }
}
