/**
 * Text of unknown length kept within a limit: the head and the tail stay, the middle is counted and dropped. Memory stays
 * bounded whatever comes.
 */
export class ClippedOutput {
  readonly #half: number;
  #head = "";
  #tail = "";
  #length = 0;

  /** `limit` in characters. */
  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  get isCut(): boolean {
    return this.#length > this.#half * 2;
  }

  add(text: string): void {
    this.#length += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    if (this.#tail.length > this.#half * 4) this.#tail = this.#tail.slice(-this.#half);
  }

  /** Head and tail, with a line between them that says how much is missing. */
  toString(): string {
    if (!this.isCut) return this.#head + this.#tail;
    const head = this.#head.replace(HALF_PAIR_AT_END, "");
    const tail = this.#tail.slice(-this.#half).replace(HALF_PAIR_AT_START, "");
    return `${head}\n\n… [${this.#length - head.length - tail.length} characters of output left out here] …\n\n${tail}`;
  }
}

/** Half of a surrogate pair where a text was cut: some providers refuse such text. */
const HALF_PAIR_AT_END = /[\uD800-\uDBFF]$/;
const HALF_PAIR_AT_START = /^[\uDC00-\uDFFF]/;
