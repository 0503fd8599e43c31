/** Runs file writes one after another. A failure is handed to `onError` and to who asked for the write; later writes go on. */
export class WriteQueue {
  readonly #onError: (error: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Resolves when the write is done: to what it failed with, or to undefined. Never rejects. */
  add(write: () => Promise<void>): Promise<{ readonly error: unknown } | undefined> {
    const done = this.#last.then(write).then(
      () => undefined,
      (error: unknown) => {
        this.#onError(error);
        return { error };
      },
    );
    this.#last = done;
    return done;
  }

  /** Resolves when every write added before has been done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
