import { type Agent, isAgent } from "../agents/agent.ts";
import { AgentGraph } from "../agents/agent-graph.ts";
import { EngineBook } from "../agents/engine-book.ts";
import { linkAbort, throwIfAborted } from "../core/abort.ts";
import { shown } from "../core/check-options.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { Event, EventSink } from "../messages/event.ts";
import type { Message, Part, UserInput } from "../messages/message.ts";
import { MemorySessionStore } from "../sessions/memory.ts";
import type { SessionLease, SessionStore } from "../sessions/store.ts";
import type { LateEnd } from "../tools/call.ts";
import type { ApprovalDecision } from "./approval.ts";
import { checkedParts, checkSessionId } from "./check-input.ts";
import { checkDecidedCalls, checkDecisions, checkMetadata, checkRequest } from "./check-request.ts";
import { refuseReentry, runInside } from "./enclosing.ts";
import { type LateResult, lateResult, warnOfLateResult } from "./late-result.ts";
import { agentMissing, discardLeftover } from "./leftover.ts";
import { type AgentResponse, toResponse } from "./response.ts";
import { restoreTurn } from "./restore-turn.ts";
import { Run } from "./run.ts";
import { runTurn } from "./run-turn.ts";
import { checkRunnerOptions, type RunnerOptions, type SessionView, type StreamRequest, type TurnRequest } from "./runner-options.ts";
import { type TurnScope, type TurnWork, transact } from "./transaction.ts";
import { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";
import { UnderWay } from "./under-way.ts";

export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_HANDOFFS = 5;
const DEFAULT_MAX_ITERATIONS = 10;

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
  readonly #underWay = new UnderWay();
  #closed = false;

  /** Throws `bad-config`, naming the culprit, for an unknown option, one that cannot hold its value, or agents that do not fit together. */
  constructor(options: RunnerOptions) {
    checkRunnerOptions(options);
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

  /** Adds an agent that the starting one does not reach. Throws `bad-config` for what is none, or does not fit to the others. */
  registerAgent(agent: Agent): void {
    if (!isAgent(agent))
      throw new FlowerError("bad-config", `registerAgent needs an agent made with new Agent({ … }), not ${shown(agent)}.`);
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
    return this.#start(sessionId, request, () => {
      const parts = [...checkedParts(input)];
      return (scope) => this.#newTurn(scope, parts);
    });
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
    return this.#start(sessionId, request, () => {
      checkDecisions(decisions);
      return (scope) => this.#openTurnAgain(scope, decisions);
    });
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
    checkMetadata(metadata);
    refuseReentry(this.#store, sessionId);
    const lease = await this.#store.open(sessionId);
    try {
      if (lease.state.open) {
        await lease.pause(); // else it would end with the lease
        throw new FlowerError("session-busy", `A turn of session "${sessionId}" is open; resume, recover or discard it first.`);
      }
      await lease.begin(newId());
      await lease.commit({ end: true, activeAgent: lease.state.activeAgent, metadata, release: true });
    } finally {
      await lease.release();
    }
  }

  /** Waits for running turns and for tools that outlived theirs; after the grace period (10 s) turns are aborted, tools left. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#underWay.end(this.#clock);
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** `prepare` looks at what was passed before anything is waited for or touched. */
  #start(sessionId: string, request: StreamRequest, prepare: () => TurnWork): Run<AgentResponse> {
    const link = linkAbort();
    const { onBusy = "queue" } = this.#options;
    const run = new Run<AgentResponse>(
      (emit) => {
        checkSessionId(sessionId);
        checkRequest(request);
        if (this.#closed) throw new FlowerError("bad-input", "The Runner is closed.");
        const work = prepare();
        if (request.signal) link.follow(request.signal);
        return transact({ sessionId, request, link, emit }, { store: this.#store, clock: this.#clock, onBusy }, work);
      },
      (reason) => link.abort(reason),
    );
    this.#underWay.addTurn(run.response, link);
    return run;
  }

  async #newTurn(scope: TurnScope, parts: readonly Part[]): Promise<AgentResponse> {
    const { lease, emit, link } = scope;
    throwIfAborted(link); // the session came too late
    const discarded = lease.state.open && (await discardLeftover(lease));
    if (discarded) emit(discarded);
    const turn = this.#openTurn(lease, scope.request.metadata);
    scope.limits.follow(turn.agent);
    const { activeAgent } = lease.state;
    if (activeAgent !== undefined && activeAgent !== turn.agent.name) emit(agentMissing(activeAgent, turn.agent.name));
    const prompt = turn.message("user", parts, { origin: "person" });
    return this.#finish(turn, prompt, this.#turnOptions(scope, turn), emit);
  }

  async #openTurnAgain(scope: TurnScope, decisions: readonly ApprovalDecision[]): Promise<AgentResponse> {
    const { lease } = scope;
    const { open } = lease.state;
    if (!open) throw new FlowerError("not-found", `No turn of session "${lease.sessionId}" is open.`);
    checkDecidedCalls(decisions, open.entries);
    const turn = this.#openTurn(lease, scope.request.metadata, open.turnId);
    restoreTurn(turn, open, this.#graph);
    scope.limits.follow(turn.agent);
    await turn.begin();
    const decided = new Map(decisions.map((decision) => [decision.callId, decision]));
    return this.#finish(turn, undefined, { decisions: decided, ...this.#turnOptions(scope, turn) }, scope.emit);
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

  #turnOptions(scope: TurnScope, { sessionId, turnId }: OpenTurn): TurnOptions {
    const options = this.#options;
    const { here, link, limits, request, emit } = scope;
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
      limits,
      onOutlived: (still, call) => this.#track(still, { sessionId, turnId, call }, scope),
      enclose: (code, owner) => runInside(here, code, owner),
    };
  }

  /** `close` waits for a tool that went on after its call was given up; a result that it then gives leaves a trace. */
  #track(still: Promise<LateEnd>, late: LateResult, { here, emit }: TurnScope): void {
    const trace = (end: LateEnd) => {
      if (end === "failure") return;
      if (here.over) warnOfLateResult(late);
      else emit(lateResult(late));
    };
    this.#underWay.addOutliving(still.then(trace));
  }
}

async function drain<R>(events: AsyncGenerator<Event, R>, emit: EventSink): Promise<R> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    emit(next.value);
  }
}
