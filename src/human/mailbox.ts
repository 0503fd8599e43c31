import { type Clock, toInstant } from "../core/clock.ts";
import { Letter, type StoredMail } from "./mail.ts";
import { nextId } from "./number.ts";

/** Every mail the channel knows, oldest first. */
export class Mailbox {
  readonly #clock: Clock;
  #letters: Letter[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get all(): readonly Letter[] {
    return this.#letters;
  }

  /** Announced and not yet taken. */
  get pending(): readonly Letter[] {
    return this.#letters.filter((letter) => letter.state === "queued" && !letter.unheard);
  }

  byId(id: string): Letter | undefined {
    return this.#letters.find((letter) => letter.id === id);
  }

  write(text: string): Letter {
    return this.add({ id: "", text, at: toInstant(this.#clock.now()), state: "queued", amended: "", unheard: true });
  }

  /** Adds mail under its id, or under a new one when that is missing or taken. */
  add(stored: StoredMail): Letter {
    const id = stored.id === "" || this.byId(stored.id) ? nextId("m", this.#letters) : stored.id;
    const letter = new Letter({ ...stored, id });
    this.#letters.push(letter);
    return letter;
  }

  /** What the inbox call `key` is given: what it was given before, and everything pending. */
  take(key: string | undefined): { readonly again: readonly Letter[]; readonly fresh: readonly Letter[] } {
    const again = key === undefined ? [] : this.#letters.filter((letter) => letter.takenBy === key);
    const fresh = this.pending;
    for (const letter of fresh) letter.deliver(key);
    return { again, fresh };
  }

  /** Forgets every mail. */
  clear(): void {
    this.#letters = [];
  }
}
