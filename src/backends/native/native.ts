import type { Agent } from "../../agents/agent.ts";
import { AgentGraph } from "../../agents/agent-graph.ts";
import { type LinkedAbort, linkAbort } from "../../core/abort.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FlowerError } from "../../core/errors.ts";
import type { Engine } from "../../engines/engine.ts";
import { windowOf } from "../../engines/prices.ts";
import { engineFor } from "../../engines/resolve.ts";
import type { Event } from "../../messages/event.ts";
import { type CallPart, callsOf, type Message, textOf } from "../../messages/message.ts";
import { restoreTurn } from "../../runner/restore-turn.ts";
import { runCalls } from "../../runner/run-calls.ts";
import { runTurn } from "../../runner/run-turn.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "../../runner/runner.ts";
import { OpenTurn } from "../../runner/turn.ts";
import type { TurnOptions, TurnOutcome } from "../../runner/turn-loop.ts";
import type { JournalEntry, SessionLease, SessionStore } from "../../sessions/store.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../backend.ts";
import { failedResult } from "./failed-result.ts";
import { FedHistory } from "./fed-history.ts";
import { onMainThread, type PlacedQuery } from "./placed-query.ts";
import { settleOrLeave } from "./settle.ts";
import { subagentTool } from "./subagents.ts";
import { watchLease } from "./watch-lease.ts";

export interface NativeBackendOptions {
  readonly store: SessionStore;
  /** For agents without their own. */
  readonly engine: (agent: Agent) => Engine;
  /** The built-in tools, bound to a workspace. Asked once per workspace. */
  readonly builtins: (workspace: string) => readonly Tool[];
  readonly idleTimeoutMs?: number;
  /** Whether a call only looked; then its result expires. Default: none does. */
  readonly looksOnly?: (call: CallPart, workspace: string) => Promise<boolean>;
  readonly clock?: Clock;
}

/** Our own turn loop over any engine, committing after each iteration. */
export class NativeBackend implements Backend {
  readonly name = "native";
  readonly #options: NativeBackendOptions;
  readonly #clock: Clock;
  readonly #builtins = new Map<string, ReadonlyMap<string, Tool>>();
  /** Of the sessions used last. */
  readonly #fed = new Map<string, FedHistory>();

  constructor(options: NativeBackendOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  run(query: BackendQuery): AsyncGenerator<Event, BackendOutcome> {
    return this.#run(onMainThread(query));
  }

  async hasSession(sessionId: string): Promise<boolean> {
    const { store } = this.#options;
    const state = await store.read(sessionId);
    if (state !== undefined && state.commit > 0) return true;
    const last = (await store.turns(sessionId)).at(-1);
    if (last?.status !== "open" && last?.status !== "paused") return false;
    const reply = lastMessage(await store.journal(sessionId, last.turnId));
    return reply !== undefined && reply.role !== "user";
  }

  async window(agent: Agent): Promise<number | undefined> {
    try {
      const { provider, model, endpoint } = this.#engineOf(agent);
      return await windowOf(provider, model, endpoint);
    } catch {
      return undefined; // no engine: the run itself says so
    }
  }

  endpoint(agent: Agent): string | undefined {
    try {
      return this.#engineOf(agent).endpoint;
    } catch {
      return undefined; // no engine: the run itself says so
    }
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }

  /** Also a subagent's query, below the call that started it. */
  async *#run(query: PlacedQuery): AsyncGenerator<Event, BackendOutcome> {
    const told = { result: false };
    try {
      return yield* this.#open(query, told);
    } catch (error) {
      await query.below.ended();
      if (!told.result) yield query.below.countedIn(failedResult(query, error));
      throw error;
    }
  }

  async *#open(query: PlacedQuery, told: Told): AsyncGenerator<Event, BackendOutcome> {
    const { store } = this.#options;
    const { fork, sessionId } = query;
    if (fork && !(await this.hasSession(sessionId))) await store.fork(fork.from, sessionId, { at: fork.at }); // a retry finds the copy
    const agent = this.#bind(query);
    const lease = await store.open(sessionId, { signal: query.signal, onBusy: "reject" });
    const abort = linkAbort(query.signal, lease.lost);
    const held = { ...query, abort };
    try {
      yield* this.#finishLeftover(lease, agent, held);
      const answer = query.above.length > 0 ? finalText(lease.state.history) : undefined;
      if (answer !== undefined) return { kind: "done", text: answer }; // the death came between its last word and the result above
      return yield* this.#query(lease, agent, held, told);
    } finally {
      abort.dispose();
      await lease.release();
    }
  }

  async *#query(lease: SessionLease, agent: Agent, query: HeldQuery, told: Told): AsyncGenerator<Event, BackendOutcome> {
    let started: Promise<void> | undefined;
    const watched = watchLease(lease, () => {
      started ??= Promise.resolve(query.onStarted());
      return started;
    });
    const turn = new OpenTurn(watched, { unit: "iteration", agent, metadata: lease.state.metadata, clock: this.#clock });
    const prompt = turn.message("user", [{ type: "text", text: query.prompt }], { origin: query.promptFrom });
    try {
      const events = runTurn(turn, prompt, this.#turnOptions(agent, query));
      for (;;) {
        const next = await events.next();
        if (next.done) {
          await turn.end();
          return toOutcome(next.value);
        }
        if (next.value.kind === "result") {
          told.result = true;
          await query.below.ended(); // an abort does not wait for what runs below
        }
        yield query.below.countedIn(next.value);
      }
    } catch (error) {
      const settled = await settleOrLeave(turn, error, query.abort).catch(() => "dropped" as const); // the first failure is the one to report
      if (settled === "dropped") await lease.rollback(String(error)).catch(() => {});
      throw error;
    }
  }

  /**
   * A query that a death cut off. A reply that was journalled is kept: its calls that may be made again, or were not begun, are
   * made (a question waits on, with its number), the others are answered "interrupted, effect unknown". Without a reply the
   * iteration is dropped.
   */
  async *#finishLeftover(lease: SessionLease, agent: Agent, query: HeldQuery): AsyncGenerator<Event, void> {
    const { open } = lease.state;
    if (!open) return;
    const last = lastMessage(open.entries);
    if (!last || last.role === "user") return lease.rollback("left open by a process that ended");
    const turn = new OpenTurn(lease, {
      unit: "iteration",
      agent,
      metadata: lease.state.metadata,
      clock: this.#clock,
      turnId: open.turnId,
    });
    const options = this.#turnOptions(agent, query);
    restoreTurn(turn, open, options.graph);
    try {
      if (last.role === "model" && callsOf(last).length > 0) yield* runCalls(callsOf(last), turn, options);
    } catch (error) {
      await settleOrLeave(turn, error, query.abort);
      throw error;
    }
    await turn.end();
  }

  #turnOptions(agent: Agent, query: HeldQuery): TurnOptions {
    return {
      graph: new AgentGraph(agent),
      engineOf: (asked) => this.#engineOf(asked),
      abort: query.abort,
      clock: this.#clock,
      idleTimeoutMs: this.#options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      maxIterations: Number.POSITIVE_INFINITY,
      maxHandoffs: DEFAULT_MAX_HANDOFFS,
      feed: (messages) => this.#fedHistory(query).feed(messages),
      guards: query.guards,
      services: query.services,
      path: query.path,
      origin: query.origin,
      deltas: query.deltas,
      steering: query.steering,
      approve: query.approve,
    };
  }

  #fedHistory({ sessionId, workspace }: HeldQuery): FedHistory {
    const { looksOnly = async () => false } = this.#options;
    const fed = this.#fed.get(sessionId) ?? new FedHistory(this.#clock, (call) => looksOnly(call, workspace));
    this.#fed.delete(sessionId);
    this.#fed.set(sessionId, fed);
    const oldest = this.#fed.keys().next().value;
    if (this.#fed.size > MOST_FED && oldest !== undefined) this.#fed.delete(oldest);
    return fed;
  }

  #engineOf(agent: Agent): Engine {
    return agent.engine ? engineFor(agent.engine, agent.model) : this.#options.engine(agent);
  }

  /** The agent with its built-in tools' names replaced by tools that work in the workspace, and the one that starts subagents. */
  #bind(query: PlacedQuery): Agent {
    const { agent, workspace } = query;
    const starting = subagentTool(query, {
      clock: this.#clock,
      run: (below) => this.#run(below),
      hasSession: (sessionId) => this.hasSession(sessionId),
    });
    if (!starting && agent.tools.every((item) => typeof item !== "string")) return agent;
    let known = this.#builtins.get(workspace);
    if (!known) {
      known = new Map(this.#options.builtins(workspace).map((item) => [item.name, item]));
      this.#builtins.set(workspace, known);
    }
    const tools = agent.tools.flatMap((item) => {
      if (item === "Agent") return [];
      const bound = typeof item === "string" ? known.get(item) : item;
      if (!bound)
        throw new FlowerError("bad-config", `The native backend has no tool "${String(item)}". It has: ${[...known.keys()].join(", ")}.`);
      return bound;
    });
    return agent.with({ tools: starting ? [...tools, starting] : tools });
  }
}

const DEFAULT_MAX_HANDOFFS = 5;
const MOST_FED = 32;

/** A query whose session is held. */
interface HeldQuery extends PlacedQuery {
  /** Aborts with the query, and when the lease is lost. */
  readonly abort: LinkedAbort;
}

/** What a query has yielded so far. */
interface Told {
  result: boolean;
}

/** The text of a conversation that has come to its end: nothing is asked for any more. */
function finalText(history: readonly Message[]): string | undefined {
  const last = history.at(-1);
  return last?.role === "model" && callsOf(last).length === 0 ? textOf(last) : undefined;
}

function lastMessage(entries: readonly JournalEntry[]): Message | undefined {
  return entries.findLast((entry) => entry.type === "message")?.message;
}

function toOutcome(outcome: TurnOutcome): BackendOutcome {
  switch (outcome.kind) {
    case "done":
      return { kind: "done", text: outcome.text, ...(outcome.cut ? { cut: true } : {}) };
    case "iteration-limit":
      return { kind: "iteration-limit", text: outcome.text };
    case "budget":
      return { kind: "budget", text: "", reason: outcome.reason };
    case "needs-approval":
      throw new FlowerError("unknown", "A call was left without a decision.");
    case "interrupted":
    case "context-full":
      return { kind: outcome.kind, text: "" };
    default:
      return outcome satisfies never;
  }
}
