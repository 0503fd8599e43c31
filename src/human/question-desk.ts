import { throwIfAborted } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError, isFlowerError, isForGood } from "../core/errors.ts";
import { Unsettled } from "../core/unsettled.ts";
import type { Translate } from "../i18n/catalogue.ts";
import type { AskState } from "../messages/event.ts";
import { type Ask, parkedFor, type Question } from "./ask.ts";
import type { AskOptions } from "./channel-options.ts";
import type { Ledger } from "./ledger.ts";
import type { Outlet } from "./outlet.ts";
import { outcomeEntry, questionEntry } from "./question-log.ts";
import type { Questions } from "./questions.ts";

export type Outcome = Exclude<AskState, "asked">;

/** How long questions wait, and what becomes of decisions that only the person can make. See `HumanChannelOptions`. */
export interface Patience {
  readonly timeoutMs: number | null;
  readonly park: boolean;
}

export interface QuestionDeskOptions {
  readonly questions: Questions;
  readonly ledger: Pick<Ledger, "isKept" | "ready" | "save">;
  readonly outlet: Pick<Outlet, "emit" | "log">;
  readonly clock: Clock;
  readonly t: Translate;
  readonly maxAsks: number | undefined;
  readonly patience: Patience;
}

/** Asks, waits and settles: every question gets one outcome, whoever brings it. */
export class QuestionDesk {
  readonly #options: QuestionDeskOptions;
  readonly #asking = new Unsettled();
  #closed = false;

  constructor(options: QuestionDeskOptions) {
    this.#options = options;
  }

  /** Somebody waits for an outcome. */
  get isBusy(): boolean {
    return this.#asking.size > 0;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Questions left in the quota; −1 = unlimited. */
  get remaining(): number {
    const { maxAsks, questions } = this.#options;
    return maxAsks === undefined ? -1 : Math.max(0, maxAsks - questions.counted);
  }

  ask(text: string, options: AskOptions): Promise<Ask> {
    return this.#asking.add(this.#ask(text, options));
  }

  /** False when the question does not exist or has its outcome already. */
  settleById(id: string, outcome: Outcome, text: string): boolean {
    const question = this.#options.questions.byId(id);
    return question !== undefined && this.settle(question, outcome, text);
  }

  /** False when the question has its outcome already. */
  settle(question: Question, outcome: Outcome, answer: string, waitedMs?: number): boolean {
    if (!question.settle(outcome, answer, waitedMs)) return false;
    const { outlet, ledger, questions, t } = this.#options;
    outlet.log(outcomeEntry(question, t));
    void ledger.save();
    outlet.emit(question.event(this.remaining));
    questions.settled(question);
    return true;
  }

  /** Ends all waiting; questions with a key stay open. */
  async close(): Promise<void> {
    this.#closed = true;
    const { questions } = this.#options;
    questions.line.close();
    questions.giveUp(new FlowerError("aborted", "The channel to the person was closed."));
    await this.#asking.settled();
  }

  async #ask(text: string, options: AskOptions): Promise<Question> {
    const { ledger } = this.#options;
    this.#throwIfOver(options.signal);
    const opening = ledger.ready();
    if (opening) await opening;
    const { question, refusal } = this.#enter(text, options);
    try {
      if (ledger.isKept) await ledger.save();
      if (question.state === "asked") await this.#reachOutcome(question, refusal, options.signal);
    } catch (error) {
      if (question.key === undefined || isForGood(error)) this.settle(question, "invalid", "");
      else if (isFlowerError(error, "parked")) await this.#park(question);
      throw error;
    }
    await ledger.save();
    return question;
  }

  /** The question that its key names, or a new one, which may be refused. */
  #enter(text: string, options: AskOptions): { readonly question: Question; readonly refusal: Outcome | undefined } {
    const { questions, outlet, t } = this.#options;
    const known = questions.byKey(options.key);
    if (known && questions.isWaiting(known)) {
      throw new FlowerError("bad-input", `The call ${known.key} waits already, for question ${known.id}.`);
    }
    const question = known ?? questions.create({ ...options, question: text });
    const refusal = known ? undefined : this.#refusal(question);
    if (!known) outlet.log(questionEntry(question, t));
    if (question.state === "asked" && question.purpose === "model" && refusal === undefined) question.counts = true;
    return { question, refusal };
  }

  #refusal(question: Question): Outcome | undefined {
    if (question.question.trim() === "") return "invalid";
    if (question.purpose === "model" && this.remaining === 0) return "over_budget";
    return undefined;
  }

  async #reachOutcome(question: Question, refusal: Outcome | undefined, signal: AbortSignal | undefined): Promise<void> {
    this.#throwIfOver(signal);
    const { questions, outlet, clock, patience } = this.#options;
    const { until, late, parks } = waitFor(question, patience, clock.now());
    if (refusal !== undefined || (late && !parks)) {
      this.settle(question, refusal ?? "timeout", "");
      return;
    }
    const onTime = () => (parks ? questions.leave(question, parkedFor(question)) : this.settle(question, "timeout", ""));
    const settled = questions.wait(question, late ? undefined : until, signal, onTime);
    outlet.emit(question.event(this.remaining));
    if (questions.isWaiting(question)) questions.line.offer(question); // a sink may have answered at once
    if (late) onTime();
    await settled;
  }

  async #park(question: Question): Promise<void> {
    question.parked = true;
    await this.#options.ledger.save();
  }

  #throwIfOver(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    if (this.#closed) throw new FlowerError("aborted", "The channel to the person is closed.");
  }
}

interface Wait {
  /** An instant; undefined: never. */
  readonly until: number | undefined;
  /** It is over before it begins. */
  readonly late: boolean;
  /** At its end the run parks, and the question stays open. */
  readonly parks: boolean;
}

/** A question that a run was parked for waits the whole time again. */
function waitFor(question: Question, { timeoutMs, park }: Patience, now: number): Wait {
  const from = question.parked ? now : Date.parse(question.askedAt);
  const until = timeoutMs === null ? undefined : from + timeoutMs;
  const late = until !== undefined && (until <= now || timeoutMs === 0);
  return { until, late, parks: park && question.purpose !== "model" && question.key !== undefined };
}
