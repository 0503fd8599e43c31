/** A one-reader queue: pushes never wait, `next` waits for an item, the end, or the failure. */
export class Queue<T> {
  readonly #items: T[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #end: { readonly error?: unknown } | undefined;
  #untilEmpty: (() => void)[] = [];

  push(item: T): void {
    if (this.#end) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** No more items; with `error`, `next` rejects once the queued items are taken. */
  end(failure?: { readonly error: unknown }): void {
    this.#end ??= failure ?? {};
    this.#wake?.();
    this.#tellEmpty();
  }

  /** Resolves when all that was pushed has been taken, or nothing will be: for those who must not run ahead of the reader. */
  async drained(): Promise<void> {
    if (this.#head < this.#items.length && !this.#end) await new Promise<void>((resolve) => this.#untilEmpty.push(resolve));
  }

  /** The next item; undefined at the end. */
  next(): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#wake = undefined;
        if (this.#head < this.#items.length) resolve(this.#take());
        else if (!this.#end) this.#wake = settle;
        else if ("error" in this.#end) reject(this.#end.error);
        else resolve(undefined);
      };
      settle();
    });
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#head++;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
      this.#tellEmpty();
    }
    return item;
  }

  #tellEmpty(): void {
    if (this.#untilEmpty.length === 0) return;
    for (const tell of this.#untilEmpty.splice(0)) tell();
  }
}
