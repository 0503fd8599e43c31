/** Promises that have not settled yet, so that who ends can wait for them. What they reject with is their owners' business. */
export class Unsettled {
  readonly #all = new Set<Promise<unknown>>();

  get size(): number {
    return this.#all.size;
  }

  /** Gives back `work` itself. */
  add<T>(work: Promise<T>): Promise<T> {
    const forget = () => void this.#all.delete(work);
    this.#all.add(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when everything that was added before has settled; never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#all]);
  }
}
