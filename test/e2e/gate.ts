import type { Role, View } from "./model-server.ts";

/** Lets a model think for ever at the first request of a role, as long as the gate is closed. */
export class Gate {
  #closed = false;
  #reach = () => {};
  /** Resolves when the model has been asked at the closed gate. */
  readonly reached = new Promise<void>((resolve) => {
    this.#reach = resolve;
  });

  close(): this {
    this.#closed = true;
    return this;
  }

  open(): void {
    this.#closed = false;
  }

  /** A promise that never settles, if the request is of this role and the gate is closed. */
  hold(view: View, role: Role): Promise<never> | undefined {
    if (!this.#closed || view.role !== role) return undefined;
    this.#reach();
    return new Promise<never>(() => {});
  }
}
