/** What was submitted, walked with ↑ and ↓; the unfinished line waits at the end. */
export class History {
  readonly #entries: string[] = [];
  #at = 0;
  #draft = "";

  add(text: string): void {
    if (text.trim() !== "" && text !== this.#entries.at(-1)) this.#entries.push(text);
    this.#at = this.#entries.length;
    this.#draft = "";
  }

  /** The entry before; undefined at the oldest. `current` is kept as the draft when it is the unfinished line. */
  older(current: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#entries.length) this.#draft = current;
    this.#at -= 1;
    return this.#entries[this.#at];
  }

  /** The entry after, at last the draft; undefined when that is already shown. */
  newer(): string | undefined {
    if (this.#at === this.#entries.length) return undefined;
    this.#at += 1;
    return this.#at === this.#entries.length ? this.#draft : this.#entries[this.#at];
  }
}
