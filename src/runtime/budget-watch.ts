import { type Language, translator } from "../i18n/catalogue.ts";
import { type Event, type EventOf, makeEvent } from "../messages/event.ts";
import type { Usage } from "../messages/usage.ts";
import { type BudgetEntry, BudgetLedger, describeLimit, type LimitReached } from "./budget.ts";
import { CallReserve } from "./reserve.ts";

export interface WatchedStep {
  /** The run's. */
  readonly ledger: BudgetLedger;
  /** The agent's own limit in US dollars, for this step alone. */
  readonly maxBudgetUsd: number | undefined;
  /** Of more than this: what all rounds of a workflow's step may spend together. */
  readonly shared: BudgetLedger | undefined;
  readonly language: Language;
  publish(event: Event): void;
}

/** Says what becomes of a step's limits: once that one is nearly used up, once per model that its price is not known, and once that one is reached. */
export class BudgetWatch {
  readonly #step: WatchedStep;
  readonly #ledgers: readonly [run: BudgetLedger, ...narrower: BudgetLedger[]];
  readonly #accounts: readonly BudgetEntry[];
  /** Asked before each model call. */
  readonly calls: CallReserve;

  constructor(step: WatchedStep) {
    this.#step = step;
    const narrower = [new BudgetLedger({ usd: step.maxBudgetUsd }), ...(step.shared ? [step.shared] : [])];
    this.#ledgers = [step.ledger, ...narrower];
    this.#accounts = narrower.map((ledger) => ledger.open()); // what counts for the run is written there by the step's books
    this.calls = new CallReserve({
      ledgers: this.#ledgers,
      onRefused: (refused, ledger) => {
        this.#tellReached(refused, ledger);
        return `The next call could exceed the budget: ${describeLimit(refused)}.`;
      },
    });
  }

  /** After each event of the step; `usage` is all that the step has spent. */
  note(event: Event, usage: Usage): void {
    for (const account of this.#accounts) account.update(usage);
    this.calls.settle(event);
    const { publish } = this.#step;
    const unpriced = unpricedModel(event);
    if (unpriced !== undefined) this.#tellUnpriced(unpriced);
    for (const ledger of this.#ledgers) {
      const near = ledger.warning();
      if (near) publish(budgetEvent("warning", near));
    }
  }

  /** Whether a limit is reached, and why no further call is made then. */
  reached(): string | undefined {
    const ledger = this.#ledgers.find((each) => each.reached());
    const reached = ledger?.reached();
    if (!ledger || !reached) return undefined;
    this.#tellReached(reached, ledger);
    return `The budget is used up: ${describeLimit(reached)}.`;
  }

  /** The run's limit is told once, however many of its steps stop at it. */
  #tellReached(reached: LimitReached, ledger: BudgetLedger): void {
    if (ledger.isFirst(reached)) this.#step.publish(budgetEvent("reached", reached));
  }

  #tellUnpriced(model: string): void {
    const { language, publish } = this.#step;
    const isNews = this.#ledgers.map((ledger) => ledger.isUnpriced(model)).includes(true);
    if (!isNews) return;
    const text = translator(language)("runtime.unpriced", { model });
    publish(makeEvent("task", text, { type: "notice", code: "unpriced-model", data: { model } }));
  }
}

function budgetEvent(level: "warning" | "reached", reached: LimitReached): EventOf<"task"> {
  const { limit, used, of, next } = reached;
  const more = next === undefined ? {} : { next };
  return makeEvent("task", describeLimit(reached), { type: "budget", level, limit, used, of, ...more });
}

/** The model that made this reply, when its tokens are known and its price is not. */
function unpricedModel(event: Event): string | undefined {
  if (event.kind !== "text" && event.kind !== "thinking" && event.kind !== "tool_call") return undefined;
  const { usage, model } = event.payload;
  return usage && usage.costUsd === undefined ? (model ?? "?") : undefined;
}
