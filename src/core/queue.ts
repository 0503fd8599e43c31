/** A one-reader queue: pushes never wait, `next` waits for an item, the end, or the failure. */
export class Queue<T> {
  readonly #items: T[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #end: { readonly error?: unknown } | undefined;

  push(item: T): void {
    if (this.#end) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** No more items; with `error`, `next` rejects once the queued items are taken. */
  end(failure?: { readonly error: unknown }): void {
    this.#end ??= failure ?? {};
    this.#wake?.();
  }

  /** The next item; undefined at the end. */
  async next(): Promise<T | undefined> {
    for (;;) {
      if (this.#head < this.#items.length) return this.#take();
      if (this.#end) {
        if ("error" in this.#end) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #take(): T {
    const item = this.#items[this.#head] as T;
    this.#head++;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
}
