import type { Agent } from "../agents/agent.ts";
import type { LinkedAbort } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { OpenTurn } from "./turn.ts";

/**
 * Holds a conversation's turn to the caller's time limit and to the limits of the agent that has it. They count the whole turn: its
 * time since it has the session, and what all of its model calls have cost. After a transfer the next agent's limits hold.
 */
export class TurnLimits {
  readonly #clock: Clock;
  readonly #abort: LinkedAbort;
  readonly #ownMs: number;
  readonly #startedAt: number;
  #agent: Agent | undefined;
  /** The limit in force, in milliseconds; Infinity = none. */
  #ms = Infinity;
  #cancel: (() => void) | undefined;

  constructor(options: TurnLimitOptions) {
    this.#clock = options.clock;
    this.#abort = options.abort;
    this.#ownMs = options.timeoutMs ?? Infinity;
    this.#startedAt = options.clock.now();
    this.#arm(this.#ownMs, "");
  }

  /** The agent that has the turn from here on. The smaller time limit wins, the caller's or the agent's. */
  follow(agent: Agent): void {
    if (agent === this.#agent) return;
    this.#agent = agent;
    const ms = agent.limits.timeoutMs ?? Infinity;
    if (ms < this.#ownMs) this.#arm(ms, ` (limits.timeoutMs of agent "${agent.name}")`);
    else this.#arm(this.#ownMs, "");
  }

  /**
   * Before each model call: throws `budget` when what was spent has reached the agent's limit, and `bad-config` when that cannot be
   * told because a price is unknown: a limit that is not kept must not look like one.
   */
  check(turn: OpenTurn): void {
    this.follow(turn.agent);
    const limitUsd = turn.agent.limits.maxBudgetUsd ?? Infinity;
    if (limitUsd === Infinity) return;
    const { costUsd } = turn.usage;
    if (costUsd === undefined) throw priceUnknown(turn, limitUsd);
    if (costUsd >= limitUsd) throw budgetReached(turn, costUsd, limitUsd);
  }

  /** The turn is over. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(ms: number, whose: string): void {
    if (ms === this.#ms) return;
    this.end();
    this.#ms = ms;
    if (ms === Infinity) return;
    const stop = () => this.#abort.abort(new FlowerError("turn-timeout", `The turn was stopped after ${ms / 1000} s${whose}.`));
    this.#cancel = this.#clock.after(Math.max(0, this.#startedAt + ms - this.#clock.now()), stop);
  }
}

export interface TurnLimitOptions {
  readonly clock: Clock;
  readonly abort: LinkedAbort;
  /** The caller's, for this turn. */
  readonly timeoutMs: number | undefined;
}

function budgetReached(turn: OpenTurn, costUsd: number, limitUsd: number): FlowerError {
  const { name } = turn.agent;
  return new FlowerError("budget", `The turn has cost $${costUsd}; limits.maxBudgetUsd of agent "${name}" is $${limitUsd}.`, {
    details: { agent: name, limitUsd, costUsd, usage: turn.usage, iterations: turn.iterations },
  });
}

function priceUnknown(turn: OpenTurn, limitUsd: number): FlowerError {
  const { name } = turn.agent;
  const model = turn.messages.findLast((message) => message.role === "model" && message.usage?.costUsd === undefined)?.model;
  return new FlowerError(
    "bad-config",
    `Agent "${name}" has a limits.maxBudgetUsd, but what ${model ?? "a model"} costs is not known, so it cannot be kept. ` +
      "Use a model with a known price, or take the limit away; limits.maxIterations and timeoutMs hold with any model.",
    { details: { agent: name, limitUsd, usage: turn.usage, iterations: turn.iterations } },
  );
}
