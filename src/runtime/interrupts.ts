import type { AmendReceipt } from "../human/mail.ts";
import type { Attendant } from "./attendant.ts";
import { Words } from "./words.ts";

/** A step's ear for a person's words. */
export interface StepWords {
  readonly words: Words;
  /** The step is over: what it has not taken waits for the next. */
  leave(): void;
}

/** Takes what a person says at an interrupt to the steps under way, and to the attendant, who keeps it. Nothing is lost between them. */
export class Interrupts {
  readonly #takers = new Set<Words>();
  /** Words for which no step was there to take them. */
  #waiting = new Words();
  #attendant: Attendant | undefined;
  /** Words that came before there was an attendant to keep them. */
  readonly #unkept: string[] = [];

  get attendant(): Attendant | undefined {
    return this.#attendant;
  }

  /** Words that come from now on, and those that wait, are for the step that begins; for one that takes none they wait. */
  enter(takesWords: boolean): StepWords {
    const words = takesWords ? this.#waiting : new Words();
    if (takesWords) {
      this.#waiting = new Words();
      this.#takers.add(words);
    }
    const leave = () => {
      this.#takers.delete(words);
      for (const text of words.take()) void this.#waiting.interrupt(text);
    };
    return { words, leave };
  }

  /** Every step under way that takes words gets them. Never rejects: the receipt says whether they are saved. */
  async interrupt(text: string): Promise<AmendReceipt> {
    this.#attendant?.interrupted?.(text.trim());
    const takers = this.#takers.size === 0 ? [this.#waiting] : [...this.#takers];
    const kept = takers.map((words) => words.interrupt(text));
    const [receipt] = await Promise.all([this.#amend(text), Promise.allSettled(kept)]);
    return receipt;
  }

  async #amend(text: string): Promise<AmendReceipt> {
    if (text.trim() !== "" && this.#attendant) return this.#attendant.keepWords(text);
    if (text.trim() !== "") this.#unkept.push(text);
    return { amended: "" };
  }

  attend(attendant: Attendant): () => void {
    this.#attendant = attendant;
    for (const text of this.#unkept.splice(0)) {
      attendant.interrupted?.(text.trim());
      void attendant.keepWords(text);
    }
    return () => {
      if (this.#attendant === attendant) this.#attendant = undefined;
    };
  }

  /** Words that no step has taken; they are given once. */
  takeWaiting(): readonly string[] {
    return this.#waiting.take();
  }
}
