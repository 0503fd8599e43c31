import type { Clock } from "../core/clock.ts";

/** A lease as its keeper sees it. */
export interface KeptLease {
  /** Extends the lease by one write; false when it is lost. */
  renew(): boolean;
  /** Tells whoever works under the lease that it is lost. */
  lose(): void;
}

/** Runs synchronous work as one transaction. May reject: the next tick tries again. */
type Transaction = <T>(work: () => T) => Promise<T>;

/** Renews all leases of a store with one timer, which runs only while there are any and never keeps the process alive. */
export class LeaseKeeper {
  readonly #leases = new Set<KeptLease>();
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #transaction: Transaction;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number, transaction: Transaction) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#transaction = transaction;
  }

  add(lease: KeptLease): void {
    this.#leases.add(lease);
    this.#schedule();
  }

  remove(lease: KeptLease): void {
    this.#leases.delete(lease);
  }

  stop(): void {
    this.#leases.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    this.#cancel ??= this.#clock.after(this.#everyMs, () => void this.#tick(), { unref: true });
  }

  async #tick(): Promise<void> {
    this.#cancel = undefined;
    if (this.#leases.size === 0) return;
    try {
      const lost = await this.#transaction(() => [...this.#leases].filter((lease) => !lease.renew()));
      // Afterwards: the listeners of a lost lease may use the store.
      for (const lease of lost) lease.lose();
    } catch {
      // The database is locked or gone. Leases that cannot be renewed in time expire, and their next write says so.
    }
    if (this.#leases.size > 0) this.#schedule();
  }
}
