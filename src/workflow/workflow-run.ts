import { withAbort } from "../core/abort.ts";
import type { PermissionGuardOptions } from "../guards/permission.ts";
import type { HumanChannel } from "../human/channel.ts";
import { type Translate, translator } from "../i18n/catalogue.ts";
import type { EventSink } from "../messages/event.ts";
import { BudgetLedger, LIMIT_KINDS, type LimitReached } from "../runtime/budget.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { askBudget } from "./ask-budget.ts";
import { type Chain, earlierRunFiles } from "./chain.ts";
import { readConsent } from "./consent.ts";
import { type Ctx, REJECTION_KEY, RESULTS_KEY, resultsOf, verdictOf } from "./ctx.ts";
import { earlierSpending, type Spending } from "./earlier-spending.ts";
import type { Step } from "./step.ts";
import type { Verdict } from "./verdict.ts";

export interface WorkflowRunOptions {
  readonly runtime: Runtime;
  readonly chain: Chain;
  readonly ctx: Ctx;
  readonly channel: HumanChannel | undefined;
  readonly onEvent: EventSink | undefined;
  readonly signal: AbortSignal;
  /** The sessions of finished steps, by name. */
  readonly sessions?: Map<string, string>;
  /** What steps with a budget of their own have spent, by name. */
  readonly ledgers?: Map<string, BudgetLedger>;
}

/** One pass of a workflow: what its steps share. */
export class WorkflowRun {
  readonly runtime: Runtime;
  readonly chain: Chain;
  readonly ctx: Ctx;
  readonly onEvent: EventSink | undefined;
  readonly signal: AbortSignal;
  /** The step that is its turn; undefined before the first. */
  step: string | undefined;
  readonly #channel: HumanChannel | undefined;
  readonly #t: Translate;
  readonly #options: WorkflowRunOptions;
  readonly #sessions: Map<string, string>;
  readonly #ledgers: Map<string, BudgetLedger>;
  #raising: Promise<boolean> | undefined;

  constructor(options: WorkflowRunOptions) {
    this.runtime = options.runtime;
    this.chain = options.chain;
    this.ctx = options.ctx;
    this.onEvent = options.onEvent;
    this.signal = options.signal;
    this.#options = options;
    this.#sessions = options.sessions ?? new Map();
    this.#ledgers = options.ledgers ?? new Map();
    this.#channel = options.channel;
    this.#t = translator(options.runtime.language);
  }

  /** The same pass for one of several steps that run at a time: what it writes into `ctx` is its own, and it can be stopped alone. */
  branch(step: string, stop: AbortSignal): WorkflowRun {
    const ctx: Ctx = { ...this.ctx, [RESULTS_KEY]: [...resultsOf(this.ctx)] };
    const signal = AbortSignal.any([this.signal, stop]);
    const branch = new WorkflowRun({ ...this.#options, ctx, signal, sessions: this.#sessions, ledgers: this.#ledgers });
    branch.step = step;
    return branch;
  }

  /** The session that a finished step made, for steps that go on from it. */
  sessionOf(step: string): string | undefined {
    return this.#sessions.get(step) ?? this.chain.step(step)?.sessionId;
  }

  /** Where all rounds of a step with a budget of its own count, those of earlier runs included. */
  async ledgerOf({ name, options: { budget } }: Step): Promise<BudgetLedger | undefined> {
    const open = this.#ledgers.get(name);
    if (!budget || open) return open;
    const ledger = new BudgetLedger(budget, this.runtime.clock);
    const earlier = this.chain.woke ? await this.#earlierSpending() : [];
    for (const { step, usage } of earlier) if (step === name || step.startsWith(`${name}#`)) ledger.carry(usage);
    this.#ledgers.set(name, ledger);
    return ledger;
  }

  #earlierSpending(): Promise<readonly Spending[]> {
    return earlierSpending(earlierRunFiles(this.runtime, this.chain, "events.jsonl"));
  }

  keepSession(step: string, sessionId: string): void {
    this.#sessions.set(step, sessionId);
  }

  /** Says once per piece of mail that it waits. */
  mailNotice(): (() => string | undefined) | undefined {
    const channel = this.#channel;
    if (!channel) return undefined;
    const told = new Set<string>();
    return () => {
      const waiting = channel.pendingMail.map((mail) => mail.id);
      const isNews = waiting.some((id) => !told.has(id));
      for (const id of waiting) told.add(id);
      const messages = waiting.length === 1 ? "a message" : `${waiting.length} messages`;
      return isNews ? `The person has sent ${messages}. Read the inbox now.` : undefined;
    };
  }

  /** What the person has said and no agent has taken: mail, and words at an interrupt that came when no work was under way. */
  async takeUnread(): Promise<readonly string[]> {
    await this.#channel?.flush(); // mail that is being saved has been said
    const mail = (await this.#channel?.takeMail()) ?? [];
    return [...mail.map((item) => item.text), ...this.runtime.takeWaitingWords()];
  }

  /** Asks the person about a call that is not allowed by itself; nobody there is told apart from a no. */
  askPermission(): PermissionGuardOptions["ask"] {
    const channel = this.#channel;
    if (!channel) return undefined;
    const options = [this.#t("permission.allow"), this.#t("permission.deny")];
    return async ({ tool, detail, reason, path, key }, signal) => {
      const question = this.#t("permission.question", { tool, summary: detail, reason });
      const asked = await channel.ask(question, { options, purpose: "permission", path, key, signal });
      if (asked.state !== "answered") return asked.state === "declined" ? "deny" : "nobody";
      const consent = readConsent(asked.answer);
      if (consent === undefined) void channel.send(asked.answer); // other words are no consent, and they reach the agent
      return consent ?? "deny";
    };
  }

  /** Asks the person whether the run may spend more, once at a time however many steps want to know; a raised limit is remembered. */
  askToRaise(reached: LimitReached, signal: AbortSignal): Promise<boolean> {
    this.#raising ??= this.#askToRaise(reached).finally(() => {
      this.#raising = undefined;
    });
    return withAbort(this.#raising, signal);
  }

  async #askToRaise(reached: LimitReached): Promise<boolean> {
    const { chain, runtime } = this;
    const { limit, of } = reached;
    const { asked, raised } = chain.budget;
    if (!this.#channel) return false;
    const to = await askBudget({ reached, key: `budget/${limit}/${asked}`, signal: this.signal }, this.#channel, this.#t);
    const from = raised[limit]?.to === of ? raised[limit].from : of;
    await chain.noteBudget({ asked: asked + 1, raised: to === undefined ? raised : { ...raised, [limit]: { from, to } } });
    if (to !== undefined) runtime.ledger.raise(limit, to);
    return to !== undefined;
  }

  /** The questions that keep the run waiting. */
  parkedQuestions(): readonly string[] {
    return (this.#channel?.asks ?? []).filter(({ state, purpose }) => state === "asked" && purpose !== "model").map(({ id }) => id);
  }

  /** Brings the ledger to where the runs before left it: what they spent counts, what a person raised holds. */
  async openLedger(): Promise<void> {
    const { chain, runtime } = this;
    const { ledger } = runtime;
    if (!chain.woke || LIMIT_KINDS.every((limit) => ledger.limits[limit] === undefined)) return;
    for (const { usage } of await this.#earlierSpending()) ledger.carry(usage);
    for (const limit of LIMIT_KINDS) {
      const raised = chain.budget.raised[limit];
      if (raised && raised.from === ledger.limits[limit]) ledger.raise(limit, raised.to);
    }
  }

  /** Why the last round was not enough, for people. A verdict that is older than the step is about another step. */
  rejectionReason(rounds: number, verdictBefore: Verdict | undefined): string {
    const said = this.ctx[REJECTION_KEY];
    if (typeof said === "string") return said;
    const verdict = verdictOf(this.ctx);
    if (verdict === undefined || verdict === verdictBefore) return resultsOf(this.ctx).at(-1)?.text ?? "";
    return this.#t("goal.notReached", { rounds, reason: verdict.reason });
  }
}
