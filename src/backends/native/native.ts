import type { Agent } from "../../agents/agent.ts";
import { AgentGraph } from "../../agents/agent-graph.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FlowerError } from "../../core/errors.ts";
import type { Engine } from "../../engines/engine.ts";
import { engineFor } from "../../engines/resolve.ts";
import type { Event } from "../../messages/event.ts";
import { runTurn } from "../../runner/run-turn.ts";
import { DEFAULT_IDLE_TIMEOUT_MS } from "../../runner/runner.ts";
import { OpenTurn } from "../../runner/turn.ts";
import type { TurnOptions, TurnOutcome } from "../../runner/turn-loop.ts";
import type { SessionLease, SessionStore } from "../../sessions/store.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../backend.ts";
import { journalledResults, settleTurn } from "./settle.ts";

export interface NativeBackendOptions {
  readonly store: SessionStore;
  /** For agents without their own. */
  readonly engine: (agent: Agent) => Engine;
  /** The built-in tools, bound to a workspace. Asked once per workspace. */
  readonly builtins: (workspace: string) => readonly Tool[];
  readonly idleTimeoutMs?: number;
  readonly clock?: Clock;
}

/** Our own turn loop over any engine, committing after each iteration. */
export class NativeBackend implements Backend {
  readonly name = "native";
  readonly #options: NativeBackendOptions;
  readonly #clock: Clock;
  readonly #builtins = new Map<string, ReadonlyMap<string, Tool>>();

  constructor(options: NativeBackendOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async *run(query: BackendQuery): AsyncGenerator<Event, BackendOutcome> {
    const { store } = this.#options;
    if (query.fork) await store.fork(query.fork.from, query.sessionId, { at: query.fork.at });
    const agent = this.#bind(query.agent, query.workspace);
    const lease = await store.open(query.sessionId, { signal: query.signal, onBusy: "reject" });
    try {
      await this.#settleLeftover(lease, agent);
      return yield* this.#query(lease, agent, query);
    } finally {
      await lease.release();
    }
  }

  async hasSession(sessionId: string): Promise<boolean> {
    const state = await this.#options.store.read(sessionId);
    return state !== undefined && state.commit > 0;
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }

  async *#query(lease: SessionLease, agent: Agent, query: BackendQuery): AsyncGenerator<Event, BackendOutcome> {
    const turn = new OpenTurn(lease, { unit: "iteration", agent, metadata: lease.state.metadata, clock: this.#clock });
    const commits = lease.state.commit;
    await turn.begin();
    let started = false;
    const noteStart = async () => {
      if (started || lease.state.commit === commits) return;
      started = true;
      await query.onStarted();
    };
    const prompt = turn.message("user", [{ type: "text", text: query.prompt }], { origin: query.promptFrom });
    try {
      const events = runTurn(turn, prompt, this.#turnOptions(agent, query));
      for (;;) {
        const next = await events.next();
        if (next.done) {
          await turn.end();
          await noteStart();
          return toOutcome(next.value);
        }
        await noteStart();
        yield next.value;
      }
    } catch (error) {
      const settled = await settleTurn(turn, turn.answered).catch(() => "dropped" as const); // the first failure is the one to report
      if (settled === "dropped") await lease.rollback(String(error)).catch(() => {});
      await noteStart();
      throw error;
    }
  }

  /** A query that a death cut off: its finished part is kept, see settleTurn. */
  async #settleLeftover(lease: SessionLease, agent: Agent): Promise<void> {
    const { open } = lease.state;
    if (!open) return;
    const turn = new OpenTurn(lease, {
      unit: "iteration",
      agent,
      metadata: lease.state.metadata,
      clock: this.#clock,
      turnId: open.turnId,
    });
    for (const entry of open.entries) if (entry.type === "message") turn.messages.push(entry.message);
    if ((await settleTurn(turn, journalledResults(open.entries))) === "dropped") await lease.rollback("left open by a process that ended");
  }

  #turnOptions(agent: Agent, query: BackendQuery): TurnOptions {
    return {
      graph: new AgentGraph(agent),
      engineOf: (asked) => this.#engineOf(asked),
      signal: query.signal,
      clock: this.#clock,
      idleTimeoutMs: this.#options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      maxIterations: Number.POSITIVE_INFINITY,
      maxHandoffs: DEFAULT_MAX_HANDOFFS,
      guards: query.guards,
      services: query.services,
      path: [],
      origin: query.step === undefined ? {} : { step: query.step },
      deltas: query.deltas,
      steering: query.steering,
      approve: query.approve,
    };
  }

  #engineOf(agent: Agent): Engine {
    return agent.engine ? engineFor(agent.engine, agent.model) : this.#options.engine(agent);
  }

  /** The agent with its built-in tools' names replaced by tools that work in the workspace. */
  #bind(agent: Agent, workspace: string): Agent {
    if (agent.tools.every((item) => typeof item !== "string")) return agent;
    let known = this.#builtins.get(workspace);
    if (!known) {
      known = new Map(this.#options.builtins(workspace).map((item) => [item.name, item]));
      this.#builtins.set(workspace, known);
    }
    const tools = agent.tools.map((item) => {
      const bound = typeof item === "string" ? known.get(item) : item;
      if (!bound)
        throw new FlowerError("bad-config", `The native backend has no tool "${String(item)}". It has: ${[...known.keys()].join(", ")}.`);
      return bound;
    });
    return agent.with({ tools });
  }
}

const DEFAULT_MAX_HANDOFFS = 5;

function toOutcome(outcome: TurnOutcome): BackendOutcome {
  switch (outcome.kind) {
    case "done":
    case "iteration-limit":
      return { kind: outcome.kind, text: outcome.text };
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
