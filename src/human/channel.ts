import { throwIfAborted } from "../core/abort.ts";
import { type Clock, systemClock, toInstant } from "../core/clock.ts";
import { FlowerError, isFlowerError, isForGood, messageOf } from "../core/errors.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import type { AskState, EventSink } from "../messages/event.ts";
import type { Tool } from "../tools/tool.ts";
import type { Amendment } from "./amendments.ts";
import { type Ask, parkedFor, type Question } from "./ask.ts";
import { type AskOptions, checkChannelOptions, checkMaxAsks, checkTimeout, type HumanChannelOptions } from "./channel-options.ts";
import { Ledger } from "./ledger.ts";
import type { AmendReceipt, Letter, Mail } from "./mail.ts";
import { Mailbox } from "./mailbox.ts";
import { Outlet } from "./outlet.ts";
import type { PullOptions } from "./pull-line.ts";
import { amendmentEntry, mailEntry, outcomeEntry, questionEntry, transcriptOf } from "./question-log.ts";
import { Questions } from "./questions.ts";
import { type FixedTexts, makeHumanTools } from "./tools.ts";

type Outcome = Exclude<AskState, "asked">;

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
  readonly #maxAsks: number | undefined;
  readonly #parks: boolean;
  readonly #clock: Clock;
  readonly #t: Translate;
  readonly #outlet: Outlet;
  readonly #questions: Questions;
  readonly #mailbox: Mailbox;
  readonly #ledger: Ledger;
  readonly #asking = new Set<Promise<unknown>>();
  readonly #busy = new Set<Promise<unknown>>();
  #unopened: string | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

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
    this.#maxAsks = checkMaxAsks(options.maxAsks);
    this.timeoutMs = checkTimeout(options.timeoutMs);
    this.#parks = options.park ?? false;
    this.#clock = options.clock ?? systemClock;
    const { onEvent, logPath, amendPath } = options;
    this.#outlet = new Outlet({ onEvent, logPath, amendPath, language: this.language });
    this.#questions = new Questions(this.#clock);
    this.#mailbox = new Mailbox(this.#clock);
    this.#ledger = new Ledger({
      questions: this.#questions,
      mailbox: this.#mailbox,
      writes: this.#outlet.writes,
      clock: this.#clock,
      onAnswer: (question, { state, answer, waitedMs }) => this.#heard(question, state as Outcome, answer, waitedMs),
      onMail: (letter) => void this.#track(this.#receive(letter)),
      onError: (error) => this.#outlet.errors.push(error),
    });
    this.#unopened = options.storePath;
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
    return track(this.#asking, this.#ask(question, options));
  }

  /** Questions that wait for an answer now, oldest first. */
  pending(): readonly Ask[] {
    return this.#questions.waiting;
  }

  /** The next question that no puller was given yet (pull). Undefined at `timeoutMs` and when the channel closes. */
  async nextAsk(options: PullOptions = {}): Promise<Ask | undefined> {
    return this.#closed ? undefined : this.#questions.line.next(options);
  }

  /** False when the question does not exist or has its outcome already. The words are taken as given. */
  answer(id: string, text: string): boolean {
    return this.#settleById(id, "answered", text);
  }

  /** The person will not answer. False when the question does not exist or has its outcome already. */
  decline(id: string, reason = ""): boolean {
    return this.#settleById(id, "declined", reason);
  }

  /** Mail: the person speaks unasked. Resolves, never rejects, when it is saved, or the receipt says why it is not. */
  send(text: string): Promise<Mail> {
    return this.#track(this.#send(text));
  }

  /**
   * Appends the person's words to `amendPath`, and to the log, without queuing them as mail. `label` says where they come from.
   * Resolves, never rejects, to whether they are saved.
   */
  amend(text: string, label = ""): Promise<AmendReceipt> {
    return this.#track(this.#amend({ at: toInstant(this.#clock.now()), label, text }));
  }

  /** Mail that no agent has taken yet. */
  get pendingMail(): readonly Mail[] {
    return this.#mailbox.pending;
  }

  /** Delivers the pending mail, and what the same `key` was given before. */
  takeMail(options: { readonly key?: string } = {}): Promise<readonly Mail[]> {
    return this.#track(this.#takeMail(options.key));
  }

  /** Questions left in the quota; −1 = unlimited. */
  get remaining(): number {
    return this.#maxAsks === undefined ? -1 : Math.max(0, this.#maxAsks - this.#questions.counted);
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
    if (this.#asking.size > 0) throw new FlowerError("bad-config", "A channel cannot change its store while a question waits.");
    this.#unopened = undefined;
    await this.#open(options.storePath, options.previous);
  }

  /** Looks whether another process left answers or mail in the store. */
  async refresh(): Promise<void> {
    await this.#ready();
    await this.#ledger.save();
  }

  /** Resolves when everything said so far is in its files. */
  async flush(): Promise<void> {
    do {
      await Promise.allSettled([...this.#busy]);
      await this.#outlet.writes.idle();
    } while (this.#busy.size > 0);
  }

  /** Ends all waiting (questions with a key stay open in the store) and finishes the writing. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#questions.line.close();
    this.#questions.giveUp(new FlowerError("aborted", "The channel to the person was closed."));
    await Promise.allSettled([...this.#asking]);
    await this.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #ask(text: string, options: AskOptions): Promise<Question> {
    throwIfAborted(options.signal);
    this.#throwIfClosed();
    const opening = this.#ready();
    if (opening) await opening;
    const known = this.#questions.byKey(options.key);
    if (known && this.#questions.isWaiting(known)) {
      throw new FlowerError("bad-input", `The call ${known.key} waits already, for question ${known.id}.`);
    }
    const question = known ?? this.#questions.create({ ...options, question: text });
    const refusal = known ? undefined : this.#refusal(question);
    if (!known) this.#outlet.log(questionEntry(question, this.#t));
    if (question.state === "asked" && question.purpose === "model" && refusal === undefined) question.counts = true;
    try {
      if (this.#ledger.path !== undefined) await this.#ledger.save();
      if (question.state === "asked") await this.#reachOutcome(question, refusal, options.signal);
    } catch (error) {
      if (question.key === undefined || isForGood(error)) this.#settle(question, "invalid", "");
      else if (isFlowerError(error, "parked")) await this.#park(question);
      throw error;
    }
    await this.#ledger.save();
    return question;
  }

  #refusal(question: Question): Outcome | undefined {
    if (question.question.trim() === "") return "invalid";
    if (question.purpose === "model" && this.remaining === 0) return "over_budget";
    return undefined;
  }

  async #reachOutcome(question: Question, refusal: Outcome | undefined, signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    this.#throwIfClosed();
    const from = question.parked ? this.#clock.now() : Date.parse(question.askedAt);
    const until = this.timeoutMs === null ? undefined : from + this.timeoutMs;
    const late = until !== undefined && (until <= this.#clock.now() || this.timeoutMs === 0);
    const parks = this.#parks && question.purpose !== "model" && question.key !== undefined;
    if (refusal !== undefined || (late && !parks)) {
      this.#settle(question, refusal ?? "timeout", "");
      return;
    }
    const onTime = () => (parks ? this.#questions.leave(question, parkedFor(question)) : this.#settle(question, "timeout", ""));
    const settled = this.#questions.wait(question, late ? undefined : until, signal, onTime);
    this.#outlet.emit(question.event(this.remaining));
    if (this.#questions.isWaiting(question)) this.#questions.line.offer(question); // a sink may have answered at once
    if (late) onTime();
    await settled;
  }

  async #park(question: Question): Promise<void> {
    question.parked = true;
    await this.#ledger.save();
  }

  #throwIfClosed(): void {
    if (this.#closed) throw new FlowerError("aborted", "The channel to the person is closed.");
  }

  #settleById(id: string, outcome: Outcome, text: string): boolean {
    const question = this.#questions.byId(id);
    return question !== undefined && this.#settle(question, outcome, text);
  }

  #settle(question: Question, outcome: Outcome, answer: string, waitedMs?: number): boolean {
    if (!question.settle(outcome, answer, waitedMs)) return false;
    this.#outlet.log(outcomeEntry(question, this.#t));
    void this.#ledger.save();
    this.#outlet.emit(question.event(this.remaining));
    this.#questions.settled(question);
    return true;
  }

  /** An answer from another process; when it comes too late, the words are kept as mail. */
  #heard(question: Question, outcome: Outcome, answer: string, waitedMs: number | undefined): void {
    if (!this.#settle(question, outcome, answer, waitedMs)) void this.send(`${question.id}: ${answer}`);
  }

  async #send(text: string): Promise<Mail> {
    const opening = this.#ready();
    if (opening) await opening;
    return this.#receive(this.#mailbox.write(text));
  }

  async #receive(letter: Letter): Promise<Mail> {
    const failure = this.#ledger.path === undefined ? undefined : await this.#ledger.save();
    const receipt =
      this.amendPath === undefined ? { amended: "" } : await this.#outlet.amend({ at: letter.at, label: letter.id, text: letter.text });
    letter.hear(failure && receipt.amended === "" ? { amended: "", notSaved: messageOf(failure.error) } : receipt);
    this.#outlet.log(mailEntry(letter, this.#t, this.logPath));
    this.#outlet.emit(letter.event());
    await this.#ledger.save(); // who has the receipt may die: the words are not taken for news again
    return letter;
  }

  async #amend(amendment: Amendment): Promise<AmendReceipt> {
    const receipt = await this.#outlet.amend(amendment);
    this.#outlet.log(amendmentEntry(amendment, receipt, this.#t, this.logPath));
    return receipt;
  }

  async #takeMail(key: string | undefined): Promise<readonly Mail[]> {
    await this.refresh();
    const { again, fresh } = this.#mailbox.take(key);
    for (const letter of fresh) this.#outlet.emit(letter.event());
    if (fresh.length > 0) await this.#ledger.save();
    return [...again, ...fresh];
  }

  /** The opening of the store that must be over first; undefined when there is none to wait for. */
  #ready(): Promise<void> | undefined {
    const path = this.#unopened;
    this.#unopened = undefined;
    return path === undefined ? this.#opening : this.#open(path);
  }

  #open(path: string, previous?: string): Promise<void> {
    const begun = [...this.#busy]; // later work waits for the opening, so the opening must not wait for it
    const opening = Promise.allSettled(begun)
      .then(() => this.#outlet.writes.idle())
      .then(() => this.#ledger.open(path, previous))
      .finally(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    this.#opening = opening;
    return this.#track(opening);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    return track(this.#busy, work);
  }
}

/** Keeps a promise in the set until it has settled. */
function track<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  const done = () => void set.delete(work);
  set.add(work);
  work.then(done, done);
  return work;
}
