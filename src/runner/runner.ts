import { AsyncLocalStorage } from "node:async_hooks";
import { type Agent, isAgent } from "../agents/agent.ts";
import { AgentGraph } from "../agents/agent-graph.ts";
import { EngineBook } from "../agents/engine-book.ts";
import { linkAbort, throwIfAborted } from "../core/abort.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Engine } from "../engines/engine.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import type { HistoryWindow } from "../messages/history.ts";
import { toParts, type UserInput } from "../messages/message.ts";
import { MemorySessionStore } from "../sessions/memory.ts";
import type { SessionLease, SessionState, SessionStore } from "../sessions/store.ts";
import type { CallGuard } from "../tools/call.ts";
import { type AgentResponse, toResponse } from "./response.ts";
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
  readonly onBusy?: "queue" | "reject";
  readonly clock?: Clock;
}

export interface TurnRequest {
  /** Merged over the session's metadata for this turn. */
  readonly metadata?: JsonObject;
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole turn; default none. */
  readonly timeoutMs?: number;
}

export interface StreamRequest extends TurnRequest {
  /** Also give `delta` events: fragments as they arrive. */
  readonly deltas?: boolean;
}

export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_HANDOFFS = 5;
const DEFAULT_MAX_ITERATIONS = 10;
const CLOSE_GRACE_MS = 10_000;

/** Session ids whose turns enclose the running code: a turn of one of them started from here could never begin. */
const enclosing = new AsyncLocalStorage<ReadonlySet<string>>();

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

  /** Runs one turn to its end. Rejects with a FlowerError, or with the signal's reason; the session is then as before the turn. */
  run(sessionId: string, input: UserInput, request: TurnRequest = {}): Promise<AgentResponse> {
    return this.stream(sessionId, input, request).response;
  }

  /** Starts one turn and gives it as events while it runs. */
  stream(sessionId: string, input: UserInput, request: StreamRequest = {}): Run<AgentResponse> {
    const link = linkAbort(request.signal);
    const run = new Run(this.#turn(sessionId, input, request, link.signal), (reason) => link.abort(reason));
    const over = run.response.then(
      () => {},
      () => {},
    );
    this.#running.set(over, (reason) => link.abort(reason));
    void over.then(() => {
      link.dispose();
      this.#running.delete(over);
    });
    return run;
  }

  /** A session's committed state, read-only; undefined when it has none. */
  session(sessionId: string): Promise<SessionState | undefined> {
    return this.#store.read(sessionId);
  }

  /** Replaces a session's metadata. */
  async setMetadata(sessionId: string, metadata: JsonObject): Promise<void> {
    const lease = await this.#store.open(sessionId);
    try {
      const turn = this.#openTurn(lease, {});
      await turn.begin();
      await lease.commit({ end: true, activeAgent: turn.agent.name, metadata });
    } finally {
      await lease.release();
    }
  }

  /** Waits for running turns; those that have not ended after the grace period (10 s) are aborted. Closes the store. */
  async close(): Promise<void> {
    this.#closed = true;
    const cancel = this.#clock.after(CLOSE_GRACE_MS, () => {
      const reason = new FlowerError("aborted", "The Runner was closed.");
      for (const abort of this.#running.values()) abort(reason);
    });
    await Promise.all(this.#running.keys());
    cancel();
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#turn(sessionId: string, input: UserInput, request: StreamRequest, outer: AbortSignal): AsyncGenerator<Event, AgentResponse> {
    if (this.#closed) throw new FlowerError("bad-input", "The Runner is closed.");
    const outside = enclosing.getStore();
    if (outside?.has(sessionId)) {
      throw new FlowerError("reentrant-turn", `Session "${sessionId}" is in a turn that waits for this very call; it would wait for ever.`);
    }
    throwIfAborted(outer);
    const lease = await this.#store.open(sessionId, { signal: outer, onBusy: this.#options.onBusy ?? "queue" });
    const link = linkAbort(outer, lease.lost);
    const cancel = this.#startTimer(request.timeoutMs, link.abort);
    try {
      yield* this.#discardLeftover(lease);
      const turn = this.#openTurn(lease, request.metadata ?? {});
      await turn.begin();
      const prompt = turn.message("user", toParts(input), { origin: "person" });
      const options = this.#turnOptions(link.signal, request.deltas ?? false);
      const inside = new Set(outside).add(sessionId);
      const outcome = yield* within(inside, runTurn(turn, prompt, options));
      if (!("text" in outcome)) throw new FlowerError("unknown", `A chat turn cannot end as "${outcome.kind}".`);
      throwIfAborted(link.signal);
      await turn.end();
      return toResponse(turn, outcome);
    } catch (error) {
      await lease.rollback(String(error)).catch(() => {}); // the first failure is the one to report
      throw error;
    } finally {
      cancel();
      link.dispose();
      await lease.release();
    }
  }

  /** A turn that a death left open never became history; it is dropped, and what it had in flight is told. */
  async *#discardLeftover(lease: SessionLease): AsyncGenerator<Event, void> {
    const { open } = lease.state;
    if (!open) return;
    const ended = new Set(open.entries.map((entry) => (entry.type === "call-result" ? entry.result.callId : "")));
    const inFlight = open.entries.flatMap((entry) =>
      entry.type === "call-started" && !entry.idempotent && !ended.has(entry.callId) ? [entry.name] : [],
    );
    await lease.rollback("left open by a process that ended");
    const text = `An earlier turn was not finished and has been dropped.${inFlight.length > 0 ? ` In flight: ${inFlight.join(", ")}.` : ""}`;
    yield makeEvent("task", text, { type: "notice", code: "turn-discarded", data: { turnId: open.turnId, inFlight } });
  }

  #openTurn(lease: SessionLease, metadata: JsonObject): OpenTurn {
    const { activeAgent, metadata: own } = lease.state;
    const agent = (activeAgent === undefined ? undefined : this.#graph.get(activeAgent)) ?? this.#options.startingAgent;
    return new OpenTurn(lease, { unit: "turn", agent, metadata: { ...own, ...metadata }, clock: this.#clock });
  }

  #turnOptions(signal: AbortSignal, deltas: boolean): TurnOptions {
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
      deltas,
    };
  }

  #startTimer(ms: number | undefined, abort: (reason: unknown) => void): () => void {
    if (ms === undefined) return () => {};
    return this.#clock.after(ms, () => abort(new FlowerError("turn-timeout", `The turn was stopped after ${ms / 1000} s.`)));
  }
}

/** Runs a generator's every step inside the given set of enclosing sessions. */
async function* within<T, R>(sessions: ReadonlySet<string>, turn: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  for (;;) {
    const next = await enclosing.run(sessions, () => turn.next());
    if (next.done) return next.value;
    yield next.value;
  }
}
