import { abortReason } from "../core/abort.ts";
import { costOf } from "../engines/prices.ts";
import type { Event } from "../messages/event.ts";
import { NO_USAGE } from "../messages/usage.ts";
import type { PlannedCall } from "../runner/planned-call.ts";
import type { BudgetLedger, LimitReached } from "./budget.ts";

/** What a model call may take at most. */
export interface CallCost {
  readonly tokens: number;
  /** US dollars; undefined when the price is not known. */
  readonly usd: number | undefined;
}

/** What calls under way may still take of one ledger's limits. */
export class Reserves {
  readonly #held = new Set<CallCost>();
  readonly #listeners = new Set<() => void>();

  /** Sets this aside until the returned function is called. */
  hold(call: CallCost): () => void {
    const held = { ...call };
    this.#held.add(held);
    return () => {
      if (!this.#held.delete(held)) return;
      for (const listener of [...this.#listeners]) listener();
    };
  }

  get tokens(): number {
    return [...this.#held].reduce((sum, call) => sum + call.tokens, 0);
  }

  get usd(): number {
    return [...this.#held].reduce((sum, call) => sum + (call.usd ?? 0), 0);
  }

  /** Resolves when something that was set aside is given back; rejects with the signal's reason. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const end = (settle: () => void) => {
        this.#listeners.delete(onChange);
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      const onChange = () => end(resolve);
      const onAbort = () => end(() => reject(abortReason(signal)));
      this.#listeners.add(onChange);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}

export interface CallReserveOptions {
  /** Of the run, and of what is within it. A call has to fit into all. */
  readonly ledgers: readonly [run: BudgetLedger, ...narrower: BudgetLedger[]];
  /** Told when a call is not made, and whose limit it could exceed. */
  readonly onRefused: (refused: LimitReached, ledger: BudgetLedger) => string;
}

/** The calls of one step, its subagents' included: set aside before each, given back when it is known what it took. */
export class CallReserve {
  readonly #options: CallReserveOptions;
  /** By thread, oldest first. A thread has one call at a time; the figures of the one before may still be on their way. */
  readonly #held = new Map<string, (() => void)[]>();

  constructor(options: CallReserveOptions) {
    this.#options = options;
  }

  /**
   * Sets aside what the call may take, and `keepBack` times as much stays free beside it. While it fits only without what others have
   * set aside, it waits for them. Gives why the call may not be made, or undefined.
   */
  async reserve(plan: () => PlannedCall, signal: AbortSignal, keepBack: (call: PlannedCall) => number): Promise<string | undefined> {
    const { ledgers, onRefused } = this.#options;
    if (!ledgers.some(({ limits }) => limits.usd !== undefined || limits.tokens !== undefined)) return undefined;
    const call = plan();
    const cost = await costOfCall(call);
    const needed = times(cost, 1 + keepBack(call));
    for (;;) {
      const [run] = ledgers;
      const lacking = ledgers.find((ledger) => ledger.lacks(needed));
      const refused = lacking?.lacks(needed);
      if (lacking && refused) {
        run.noteRefusal(run.lacks(needed));
        return onRefused(refused, lacking);
      }
      if (ledgers.every((ledger) => ledger.lacks(needed, ledger.reserves) === undefined)) {
        const releases = ledgers.map(({ reserves }) => reserves.hold(cost));
        this.#of(call.thread).push(() => releases.forEach((release) => void release()));
        return undefined;
      }
      await run.reserves.changed(signal);
    }
  }

  /** Gives back what the call took that this event has the figures of. */
  settle(event: Event): void {
    if (event.kind !== "text" && event.kind !== "thinking" && event.kind !== "tool_call") return;
    if (event.payload.usage) this.#of(event.payload.parentToolUseId ?? "").shift()?.();
  }

  /** The newest call of this thread failed. */
  release(thread: string): void {
    this.#of(thread).pop()?.();
  }

  /** No call is under way any more. */
  close(): void {
    for (const releases of this.#held.values()) for (const release of releases) release();
    this.#held.clear();
  }

  #of(thread: string): (() => void)[] {
    const held = this.#held.get(thread) ?? [];
    this.#held.set(thread, held);
    return held;
  }
}

async function costOfCall({ engine, inputTokens, outputTokens }: PlannedCall): Promise<CallCost> {
  const usage = { ...NO_USAGE, inputTokens, outputTokens };
  return { tokens: inputTokens + outputTokens, usd: await costOf(engine.provider, engine.model, usage, engine.endpoint) };
}

function times({ tokens, usd }: CallCost, factor: number): CallCost {
  return { tokens: tokens * factor, usd: usd === undefined ? undefined : usd * factor };
}
