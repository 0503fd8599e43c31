import type { Arithmetic } from "./arithmetic.ts";
import type { Script } from "./script.ts";

/**
 * A chat bot made with one library, in the way its documentation shows. All bots do the same work: they send the whole conversation
 * to the model, check tool arguments against the schema, and keep every message. `probe` sees to that before anything is measured.
 */
export interface Bot {
  /** One turn of one conversation; gives the answer's text. Rejects when aborted. */
  say(session: string, text: string, options?: SayOptions): Promise<string>;
  /** How many messages the conversation has by the library's own books, system prompt apart. */
  count(session: string): Promise<number>;
  /** Lets go of the database; everything said is in its file afterwards. */
  close?(): Promise<void>;
}

export interface SayOptions {
  /** Use the library's streaming; called with each fragment. */
  readonly onDelta?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** What is to be built. */
export interface Setup {
  /** What the model says, handed to the library as a model of its own kind. */
  readonly script: Script;
  readonly tool?: Arithmetic;
  /** Two agents, `first` and `second`, each of which may hand the conversation over to the other. */
  readonly handoff?: boolean;
  /** Path of a database file that keeps the conversations. Without it they are kept in memory. */
  readonly database?: string;
}

/** Undefined when the library has no such thing. */
export type MakeBot = (setup: Setup) => Promise<Bot | undefined>;

export const INSTRUCTIONS = "You answer in one sentence.";
export const MAX_ITERATIONS = 1_000;
