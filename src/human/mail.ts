import { type EventOf, makeEvent } from "../messages/event.ts";

/** What became of a person's words on disk. */
export interface AmendReceipt {
  /** The file they were appended to; "" when to none. */
  readonly amended: string;
  /** Why they could not be saved, when that was tried and failed. */
  readonly notSaved?: string;
}

/** Something a person said unasked. It waits for the agent's next look into the inbox. */
export interface Mail extends AmendReceipt {
  /** `m1`, `m2` …, unique along a chain of runs. */
  readonly id: string;
  readonly text: string;
  /** ISO instant at which it was said. */
  readonly at: string;
  readonly state: "queued" | "delivered";
  /** The mail as an event that carries this object as `raw`. */
  event(): EventOf<"ask">;
}

/** Mail as it stands in the store. */
export interface StoredMail extends AmendReceipt, Pick<Mail, "id" | "text" | "at" | "state"> {
  /** The inbox call that took it: the same call gets it again after a restart. */
  readonly takenBy?: string;
  /** Not yet appended, logged and announced. */
  readonly unheard?: boolean;
}

/** The channel's own side of a {@link Mail}. */
export class Letter implements Mail {
  readonly id: string;
  readonly text: string;
  readonly at: string;
  #receipt: AmendReceipt;
  #state: "queued" | "delivered";
  #takenBy: string | undefined;
  #unheard: boolean;

  constructor(stored: StoredMail) {
    this.id = stored.id;
    this.text = stored.text;
    this.at = stored.at;
    this.#receipt = { amended: stored.amended, notSaved: stored.notSaved };
    this.#state = stored.state;
    this.#takenBy = stored.takenBy;
    this.#unheard = stored.unheard ?? false;
  }

  get state(): "queued" | "delivered" {
    return this.#state;
  }

  get amended(): string {
    return this.#receipt.amended;
  }

  get notSaved(): string | undefined {
    return this.#receipt.notSaved;
  }

  get takenBy(): string | undefined {
    return this.#takenBy;
  }

  /** True until it has been appended, logged and is about to be announced; only then may it be delivered. */
  get unheard(): boolean {
    return this.#unheard;
  }

  hear(receipt: AmendReceipt): void {
    this.#receipt = receipt;
    this.#unheard = false;
  }

  deliver(takenBy: string | undefined): void {
    this.#state = "delivered";
    this.#takenBy = takenBy;
  }

  event(): EventOf<"ask"> {
    const { id, state, amended, notSaved } = this;
    const why = notSaved === undefined ? {} : { notSaved };
    return makeEvent("ask", this.text, { kind: "mail", id, state, amended, ...why }, { raw: this });
  }

  toJSON(): StoredMail {
    const { id, text, at, state, amended, notSaved, takenBy } = this;
    return { id, text, at, state, amended, notSaved, takenBy, ...(this.#unheard ? { unheard: true } : {}) };
  }
}
