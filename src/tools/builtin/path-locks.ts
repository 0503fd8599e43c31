/** Runs work on one path at a time, in the order of asking: two agents that edit the same file never overwrite each other. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(path) ?? Promise.resolve();
    const running = before.then(work);
    const tail = running.then(
      () => {},
      () => {},
    );
    this.#tails.set(path, tail);
    try {
      return await running;
    } finally {
      if (this.#tails.get(path) === tail) this.#tails.delete(path);
    }
  }
}
