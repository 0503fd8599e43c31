import type { Clock } from "../../core/clock.ts";
import { rewriteFeed } from "../../messages/feed.ts";
import { type CallPart, callsOf, type Message } from "../../messages/message.ts";

/** How long providers keep a prompt that nobody asks for again: five minutes, with all of those that do. */
const CACHE_LIFE_MS = 300_000;

/** Whether a call only looked at something, so that its result grows old. */
export type LooksOnly = (call: CallPart) => Promise<boolean>;

/**
 * What one session feeds to its model. The beginning is rewritten (old looks expire, old long results shrink, denied calls go)
 * whenever the provider has forgotten it anyway, and then stays as it is: a beginning that changes costs its whole price again.
 */
export class FedHistory {
  readonly #clock: Clock;
  readonly #looksOnly: LooksOnly;
  readonly #glances = new Set<string>();
  #beginning: readonly Message[] = [];
  /** How many messages of the history the beginning stands for. */
  #length = 0;

  constructor(clock: Clock, looksOnly: LooksOnly) {
    this.#clock = clock;
    this.#looksOnly = looksOnly;
  }

  feed(messages: readonly Message[]): readonly Message[] | Promise<readonly Message[]> {
    if (this.#length > messages.length) this.#length = 0; // another history: a rolled back one, a fork
    const last = messages.findLast((message) => message.role === "model");
    const isCold = last !== undefined && this.#clock.now() - Date.parse(last.at) > CACHE_LIFE_MS;
    return isCold ? this.#rewrite(messages) : this.#joined(messages);
  }

  async #rewrite(messages: readonly Message[]): Promise<readonly Message[]> {
    for (const call of messages.slice(this.#length).flatMap(callsOf)) if (await this.#looksOnly(call)) this.#glances.add(call.callId);
    this.#beginning = rewriteFeed(messages, { glances: this.#glances });
    this.#length = messages.length;
    return this.#beginning;
  }

  #joined(messages: readonly Message[]): readonly Message[] {
    if (this.#length === 0) return messages;
    return this.#length === messages.length ? this.#beginning : [...this.#beginning, ...messages.slice(this.#length)];
  }
}
