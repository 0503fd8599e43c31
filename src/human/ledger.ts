import type { Clock } from "../core/clock.ts";
import { isFlowerError } from "../core/errors.ts";
import type { Unsettled } from "../core/unsettled.ts";
import { Question, type StoredAsk } from "./ask.ts";
import { type AskBook, moveBook, readBook, setAsideIfBroken, updateBook } from "./ask-book.ts";
import type { Letter } from "./mail.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Questions } from "./questions.ts";
import type { WriteQueue } from "./write-queue.ts";

export interface LedgerOptions {
  readonly questions: Questions;
  readonly mailbox: Mailbox;
  readonly writes: WriteQueue;
  readonly clock: Clock;
  /** What the channel has under way: an opening waits for what had begun before it. */
  readonly busy: Unsettled;
  /** A store that is to be opened before anything else is done. */
  readonly storePath: string | undefined;
  /** Another process answered. The question may have been settled here meanwhile. */
  readonly onAnswer: (question: Question, stored: StoredAsk) => void;
  /** Mail that no channel has taken notice of. */
  readonly onMail: (letter: Letter) => void;
  readonly onError: (error: unknown) => void;
}

type Saved = Promise<{ readonly error: unknown } | undefined>;

/** Keeps questions and mail in the run's store. Each save first takes in what other processes wrote there, so that nobody's words are overwritten. */
export class Ledger {
  readonly #options: LedgerOptions;
  /** Known from the start and not opened yet. */
  #unopened: string | undefined;
  #opening: Promise<void> | undefined;
  #path: string | undefined;
  #next: Saved | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#unopened = options.storePath;
  }

  /** False until opened: then nothing is kept. */
  get isKept(): boolean {
    return this.#path !== undefined;
  }

  /** The opening that must be over first; undefined when there is none to wait for. */
  ready(): Promise<void> | undefined {
    return this.#unopened === undefined ? this.#opening : this.open(this.#unopened);
  }

  /** Goes on with the store at `path`, which takes over what `previous` holds. Mail that is in no store yet comes along. */
  open(path: string, previous?: string): Promise<void> {
    const { busy, writes } = this.#options;
    this.#unopened = undefined;
    const opening = busy
      .settled() // later work waits for the opening, so the opening must not wait for it
      .then(() => writes.idle())
      .then(() => this.#takeOver(path, previous))
      .finally(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    this.#opening = opening;
    return busy.add(opening);
  }

  /** Looks whether another process left answers or mail in the store. */
  async refresh(): Promise<void> {
    await this.ready();
    await this.save();
  }

  /** Resolves when everything up to this call is on disk, or to what went wrong. Calls that come before the writing share it. */
  save(): Saved {
    const path = this.#path;
    if (path === undefined) return Promise.resolve(undefined);
    this.#next ??= this.#options.writes.add(async () => {
      try {
        await this.#repairing(path, () => updateBook(path, (book) => this.#exchange(book)));
      } catch (error) {
        this.#next = undefined;
        throw error;
      }
    });
    return this.#next;
  }

  async #takeOver(path: string, previous: string | undefined): Promise<void> {
    const { questions, mailbox, writes } = this.#options;
    const unsaved = this.#path === undefined ? mailbox.pending.map((letter) => letter.toJSON()) : [];
    questions.clear();
    mailbox.clear();
    this.#path = path;
    await writes.add(() => this.#repairing(path, async () => void (await readBook(path))));
    if (previous !== undefined) await writes.add(() => this.#repairing(previous, () => moveBook(previous, path)));
    await this.save();
    for (const mail of unsaved) mailbox.add(mail);
    if (unsaved.length > 0) await this.save();
  }

  /** A file that cannot be understood is set aside, reported, and the work done on a fresh one. */
  async #repairing(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isFlowerError(error, "bad-input")) throw error;
      const problem = await setAsideIfBroken(path, this.#options.clock.now());
      if (problem) this.#options.onError(problem);
      await work();
    }
  }

  #exchange(book: AskBook): AskBook | undefined {
    this.#next = undefined; // what changes from here on needs another save
    this.#takeInAsks(book);
    this.#takeInMail(book);
    const { questions, mailbox } = this.#options;
    const now: AskBook = {
      ...book,
      asks: questions.all.map((question) => question.toJSON()),
      mail: mailbox.all.map((letter) => letter.toJSON()),
    };
    return JSON.stringify(now) === JSON.stringify(book) ? undefined : now;
  }

  #takeInAsks(book: AskBook): void {
    const { questions, clock, onAnswer } = this.#options;
    for (const stored of book.asks) {
      const known = questions.byId(stored.id);
      const question = known ?? new Question(stored.unheard ? reopened(stored) : stored, clock);
      if (!known) questions.add(question);
      if (stored.unheard || (stored.state !== "asked" && question.state === "asked")) onAnswer(question, stored);
    }
  }

  #takeInMail(book: AskBook): void {
    const { mailbox, onMail } = this.#options;
    for (const stored of book.mail) {
      const own = mailbox.byId(stored.id);
      if (own && own.at === stored.at && own.text === stored.text) continue;
      const letter = mailbox.add(stored);
      if (letter.unheard) onMail(letter);
    }
  }
}

/** As it was before the outcome that is yet to be announced. */
function reopened(stored: StoredAsk): StoredAsk {
  return { ...stored, state: "asked", answer: "", waitedMs: undefined };
}
