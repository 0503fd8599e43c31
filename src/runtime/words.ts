/** Keeps words where another process finds them. */
export type KeepWords = (unheard: readonly string[]) => void | Promise<void>;

/** What a person said to a run at an interrupt, until the model gets it. */
export class Words {
  readonly #words: string[] = [];
  /** Taken, and not yet part of a session. */
  readonly #given: string[] = [];
  #keep: KeepWords = () => {};
  readonly #listeners = new Set<() => void>();
  #interrupted = false;

  /** Stop at the next boundary; without text the work just goes on after it. Resolves when the words are kept; rejects when they cannot be. */
  async interrupt(text: string): Promise<void> {
    this.#interrupted = true;
    const hasText = text.trim() !== "";
    if (hasText) this.#words.push(text);
    for (const listener of [...this.#listeners]) listener();
    if (hasText) await this.#keep(this.#unheard);
  }

  /** `keep` gets the words that no session holds yet, now and whenever that changes. */
  async keepWith(keep: KeepWords): Promise<void> {
    this.#keep = keep;
    if (this.#unheard.length > 0) await keep(this.#unheard);
  }

  /** What was taken is part of a session now. */
  async heard(): Promise<void> {
    if (this.#given.splice(0).length > 0) await this.#keep(this.#unheard);
  }

  /** Calls `listener` at each interrupt from now on; the returned function ends that. */
  onInterrupt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A stop was asked for and not yet served. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** The words so far, oldest first; they are given once. */
  take(): readonly string[] {
    this.#interrupted = false;
    const words = this.#words.splice(0);
    this.#given.push(...words);
    return words;
  }

  get #unheard(): readonly string[] {
    return [...this.#given, ...this.#words];
  }
}

const SIDE_EFFECT = "A tool call that came back interrupted is a side effect of this stop, not a fault.";

/** The prompt that carries a person's words into a session that was stopped for them. */
export function interruptPrompt(words: readonly string[]): string {
  if (words.length === 0) return `The person stopped you for a moment and said nothing. Go on where you left off. ${SIDE_EFFECT}`;
  return [
    "The person stopped you to say this:",
    "",
    ...words,
    "",
    `Take it into account and go on where you left off. ${SIDE_EFFECT}`,
  ].join("\n");
}

/** A first prompt with words that came before there was a session to say them to. */
export function promptWithWords(prompt: string, words: readonly string[]): string {
  if (words.length === 0) return prompt;
  return [prompt, "", "Meanwhile the person said:", "", ...words].join("\n");
}

/** After a person raised the limit. */
export const RAISED_PROMPT = "You were stopped because the budget was used up. It has been raised: go on where you left off.";

/** After an answer that ended at the model's output limit. */
export const CUT_PROMPT =
  "Your last answer was cut at the output limit, so it does not count. If there is work left, go on with it in smaller pieces; " +
  "then give your whole answer again, shorter.";

/** After a failure the session goes on; the model is not told error details. */
export const CONTINUE_PROMPT =
  "The connection was lost for a moment and is back. Go on where you left off; check the state of anything that was in flight.";
