import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { Unsettled } from "../core/unsettled.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import type { EventSink } from "../messages/event.ts";
import type { Tool } from "../tools/tool.ts";
import type { Amendment } from "./amendments.ts";
import type { Ask, Question, StoredAsk } from "./ask.ts";
import { type AskOptions, checkChannelOptions, checkMaxAsks, checkTimeout, type HumanChannelOptions } from "./channel-options.ts";
import { Ledger } from "./ledger.ts";
import type { AmendReceipt, Mail } from "./mail.ts";
import { MailDesk } from "./mail-desk.ts";
import { Mailbox } from "./mailbox.ts";
import { Outlet } from "./outlet.ts";
import type { PullOptions } from "./pull-line.ts";
import { type Outcome, QuestionDesk } from "./question-desk.ts";
import { transcriptOf } from "./question-log.ts";
import { Questions } from "./questions.ts";
import { type FixedTexts, makeHumanTools } from "./tools.ts";

/**
 * The one connection between a run and the person.
 *
 * 1. **One outcome.** A question leaves `asked` once; of several answers, from wherever, exactly one wins and is told so.
 * 2. **Two events or one.** A question that waits makes two events with one id (asked, outcome); one that never waits makes one.
 *    Entered again after a restart, a question that goes on waiting is announced again.
 * 3. **`ask` always settles**, and rejects only when its signal aborts, the channel closes, or the run is to park (`parked`). A
 *    question that has a key then stays open, and can be answered until it is entered again: its session goes on some day. It is
 *    withdrawn as `invalid` when it has no key, or when its step or turn has failed for good.
 * 4. **Nothing is made up.** Only what a person said stands in `answer`.
 * 5. **Durable.** With a store, a question is on disk before it is announced, an answer before the asker goes on, mail before
 *    its receipt.
 * 6. **Nothing outside harms the run.** What sinks throw and what files refuse goes to `uiErrors` and into receipts.
 */
export class HumanChannel {
  readonly language: Language;
  readonly logPath: string | undefined;
  readonly amendPath: string | undefined;
  /** How long a question waits, in milliseconds from `askedAt`; null: for ever, 0: not at all. */
  readonly timeoutMs: number | null;
  /** What the model reads when a question has no answer. */
  readonly texts: FixedTexts;
  /** `mcp__human__ask` and `mcp__human__inbox`. */
  readonly tools: readonly Tool[];
  readonly #t: Translate;
  readonly #outlet: Outlet;
  readonly #questions: Questions;
  readonly #mailbox: Mailbox;
  readonly #ledger: Ledger;
  readonly #questionDesk: QuestionDesk;
  readonly #mailDesk: MailDesk;
  readonly #busy = new Unsettled();

  constructor(options: HumanChannelOptions = {}) {
    checkChannelOptions(options);
    this.language = options.language ?? "en";
    this.logPath = options.logPath;
    this.amendPath = options.amendPath;
    this.#t = translator(this.language);
    this.texts = Object.freeze({
      overBudget: options.overBudgetText ?? this.#t("human.overBudget"),
      timeout: options.timeoutText ?? this.#t("human.timeout"),
      declined: options.declinedText ?? this.#t("human.declined"),
    });
    this.timeoutMs = checkTimeout(options.timeoutMs);
    const clock = options.clock ?? systemClock;
    const { onEvent, logPath, amendPath, storePath } = options;
    this.#outlet = new Outlet({ onEvent, logPath, amendPath, language: this.language });
    this.#questions = new Questions(clock);
    this.#mailbox = new Mailbox(clock);
    this.#ledger = this.#makeLedger(clock, storePath);
    const shared = { ledger: this.#ledger, outlet: this.#outlet, clock, t: this.#t };
    const patience = { timeoutMs: this.timeoutMs, park: options.park ?? false };
    this.#questionDesk = new QuestionDesk({ ...shared, questions: this.#questions, maxAsks: checkMaxAsks(options.maxAsks), patience });
    this.#mailDesk = new MailDesk({ ...shared, mailbox: this.#mailbox, logPath, amendPath });
    this.tools = makeHumanTools(this);
  }

  /** Where questions and mail are shown (push). May be set at any time. */
  get onEvent(): EventSink | undefined {
    return this.#outlet.onEvent;
  }

  set onEvent(sink: EventSink | undefined) {
    this.#outlet.onEvent = sink;
  }

  /** Asks and waits for the outcome. */
  ask(question: string, options: AskOptions = {}): Promise<Ask> {
    return this.#questionDesk.ask(question, options);
  }

  /** Questions that wait for an answer now, oldest first. */
  pending(): readonly Ask[] {
    return this.#questions.waiting;
  }

  /** The next question that no puller was given yet (pull). Undefined at `timeoutMs` and when the channel closes. */
  async nextAsk(options: PullOptions = {}): Promise<Ask | undefined> {
    return this.#questionDesk.isClosed ? undefined : this.#questions.line.next(options);
  }

  /** False when the question does not exist or has its outcome already. The words are taken as given. */
  answer(id: string, text: string): boolean {
    return this.#questionDesk.settleById(id, "answered", text);
  }

  /** The person will not answer. False when the question does not exist or has its outcome already. */
  decline(id: string, reason = ""): boolean {
    return this.#questionDesk.settleById(id, "declined", reason);
  }

  /** Mail: the person speaks unasked. Resolves, never rejects, when it is saved, or the receipt says why it is not. */
  send(text: string): Promise<Mail> {
    return this.#busy.add(this.#mailDesk.send(text));
  }

  /**
   * Appends the person's words to `amendPath`, and to the log, without queuing them as mail. `label` says where they come from.
   * Resolves, never rejects, to whether they are saved.
   */
  amend(text: string, label = ""): Promise<AmendReceipt> {
    return this.#busy.add(this.#mailDesk.amend(text, label));
  }

  /** What this channel has added to `amendPath`, oldest first. What else stands there, others wrote. */
  get amendments(): readonly Amendment[] {
    return this.#outlet.amendments;
  }

  /** Mail that no agent has taken yet. */
  get pendingMail(): readonly Mail[] {
    return this.#mailbox.pending;
  }

  /** Delivers the pending mail, and what the same `key` was given before. */
  takeMail(options: { readonly key?: string } = {}): Promise<readonly Mail[]> {
    return this.#busy.add(this.#mailDesk.take(options.key));
  }

  /** Questions left in the quota; −1 = unlimited. */
  get remaining(): number {
    return this.#questionDesk.remaining;
  }

  /** Everything asked and said so far, as Markdown. */
  get transcript(): string {
    return transcriptOf(this.#questions.all, this.#mailbox.all, this.#t);
  }

  /** Every question so far, oldest first. */
  get asks(): readonly Ask[] {
    return this.#questions.all;
  }

  /** Every mail so far, oldest first. */
  get mail(): readonly Mail[] {
    return [...this.#mailbox.all];
  }

  /** What sinks threw and files refused, oldest first. */
  get uiErrors(): readonly unknown[] {
    return this.#outlet.errors;
  }

  /** Shows events to another listener beside `onEvent`, e.g. the run's log. The returned function ends it. */
  addSink(sink: EventSink): () => void {
    return this.#outlet.addSink(sink);
  }

  /**
   * Keeps questions and mail in `storePath` from now on, and takes over those of the `previous` run of the chain: ids stay,
   * numbering goes on, open questions wait to be entered again. Answers and mail that were left there are taken in.
   */
  async attach(options: { readonly storePath: string; readonly previous?: string }): Promise<void> {
    if (this.#questionDesk.isBusy) throw new FlowerError("bad-config", "A channel cannot change its store while a question waits.");
    await this.#ledger.open(options.storePath, options.previous);
  }

  /** Looks whether another process left answers or mail in the store. */
  refresh(): Promise<void> {
    return this.#ledger.refresh();
  }

  /** Resolves when everything said so far is in its files. */
  async flush(): Promise<void> {
    do {
      await this.#busy.settled();
      await this.#outlet.writes.idle();
    } while (this.#busy.size > 0);
  }

  /** Ends all waiting (questions with a key stay open in the store) and finishes the writing. */
  async close(): Promise<void> {
    await this.#questionDesk.close();
    await this.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #makeLedger(clock: Clock, storePath: string | undefined): Ledger {
    return new Ledger({
      questions: this.#questions,
      mailbox: this.#mailbox,
      writes: this.#outlet.writes,
      clock,
      busy: this.#busy,
      storePath,
      onAnswer: (question, stored) => this.#heard(question, stored),
      onMail: (letter) => void this.#busy.add(this.#mailDesk.receive(letter)),
      onError: (error) => this.#outlet.errors.push(error),
    });
  }

  /** An answer from another process; when it comes too late, the words are kept as mail. */
  #heard(question: Question, { state, answer, waitedMs }: StoredAsk): void {
    if (!this.#questionDesk.settle(question, state as Outcome, answer, waitedMs)) void this.send(`${question.id}: ${answer}`); // a stored answer is an outcome
  }
}
