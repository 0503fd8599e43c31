import { type Clock, toInstant } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { type AskPayload, type AskState, type EventOf, makeEvent } from "../messages/event.ts";

/** Who wants to know: the model, or the framework for one of its own decisions (which no quota stops). */
export type AskPurpose = Extract<AskPayload, { kind: "question" }>["purpose"];

/** One question to the person. Its state leaves `asked` once and never changes again. */
export interface Ask {
  /** `q1`, `q2` …, unique along a chain of runs. */
  readonly id: string;
  /** What asks, the same again after a restart. */
  readonly key: string | undefined;
  readonly question: string;
  readonly options: readonly string[];
  /** ISO instant. */
  readonly askedAt: string;
  /** Names of the agents from the main one down to the one that asks. */
  readonly path: readonly string[];
  readonly purpose: AskPurpose;
  readonly state: AskState;
  /** What the person said: the answer, or the reason for declining. Never made up: "" in every other state. */
  readonly answer: string;
  /** Milliseconds since `askedAt`; stands still once settled. */
  readonly waitedMs: number;
  /** The question as an event that carries this object as `raw`. `remaining`: questions left in the quota, −1 = unlimited. */
  event(remaining: number): EventOf<"ask">;
}

/** A question as it stands in the store. */
export interface StoredAsk extends Pick<Ask, "id" | "question" | "options" | "askedAt" | "path" | "purpose" | "state" | "answer"> {
  /** Session and call that ask: the same pair enters the same question again after a restart. */
  readonly key?: string;
  /** Only once settled. */
  readonly waitedMs?: number;
  /** Another process wrote this outcome; no channel has taken notice of it yet. */
  readonly unheard?: boolean;
  /** A run was parked for it: whoever enters it again waits the whole time again. */
  readonly parked?: boolean;
}

export interface NewAsk {
  readonly id: string;
  readonly question: string;
  readonly key?: string;
  readonly options?: readonly string[];
  readonly path?: readonly string[];
  readonly purpose?: AskPurpose;
}

/** Why the asker of an open question waits no longer: the run is put off until somebody decides. */
export function parkedFor(ask: Ask): FlowerError {
  return new FlowerError("parked", `${ask.id} waits for a person: ${ask.question}`, { details: { id: ask.id } });
}

/** The channel's own side of an {@link Ask}: the one who holds it may settle it. */
export class Question implements Ask {
  readonly id: string;
  readonly key: string | undefined;
  readonly question: string;
  readonly options: readonly string[];
  readonly askedAt: string;
  readonly path: readonly string[];
  readonly purpose: AskPurpose;
  /** Whether it takes from the quota of this process. */
  counts = false;
  /** A run was parked for it. */
  parked: boolean;
  readonly #clock: Clock;
  #state: AskState;
  #answer: string;
  #waitedMs: number | undefined;

  constructor(stored: StoredAsk, clock: Clock) {
    this.id = stored.id;
    this.key = stored.key;
    this.question = stored.question;
    this.options = stored.options;
    this.askedAt = stored.askedAt;
    this.path = stored.path;
    this.purpose = stored.purpose;
    this.parked = stored.parked ?? false;
    this.#clock = clock;
    this.#state = stored.state;
    this.#answer = stored.answer;
    this.#waitedMs = stored.waitedMs;
  }

  static ask(ask: NewAsk, clock: Clock): Question {
    const { options = [], path = [], purpose = "model" } = ask;
    const askedAt = toInstant(clock.now());
    return new Question({ ...ask, options: [...options], path: [...path], purpose, askedAt, state: "asked", answer: "" }, clock);
  }

  get state(): AskState {
    return this.#state;
  }

  get answer(): string {
    return this.#answer;
  }

  get waitedMs(): number {
    return this.#waitedMs ?? Math.max(0, this.#clock.now() - Date.parse(this.askedAt));
  }

  /** False when it was settled before: exactly one of several outcomes wins. */
  settle(state: Exclude<AskState, "asked">, answer: string, waitedMs = this.waitedMs): boolean {
    if (this.#state !== "asked") return false;
    this.#state = state;
    this.#answer = answer;
    this.#waitedMs = waitedMs;
    return true;
  }

  event(remaining: number): EventOf<"ask"> {
    const { id, options, state, answer, askedAt, path, purpose } = this;
    const payload = { kind: "question", id, options, state, answer, remaining, askedAt, path, purpose } as const;
    return makeEvent("ask", this.question, payload, { raw: this });
  }

  toJSON(): StoredAsk {
    const { id, key, question, options, askedAt, path, purpose, state, answer } = this;
    const parked = this.parked ? { parked: true } : {};
    return { id, key, question, options, askedAt, path, purpose, state, answer, waitedMs: this.#waitedMs, ...parked };
  }
}
