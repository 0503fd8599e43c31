import type { Agent } from "../agents/agent.ts";
import type { Backend } from "../backends/backend.ts";
import type { Clock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { type Language, translator } from "../i18n/catalogue.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import { type Place, placeOf, type Reachability } from "./reachability.ts";
import type { Resilience } from "./resilience.ts";
import type { Words } from "./words.ts";

export interface NetworkWaitOptions {
  readonly reachability: Reachability;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly resilience: Resilience;
  /** The step's label. */
  readonly step: string;
  readonly words: Words;
  readonly signal: AbortSignal;
  readonly language: Language;
  publish(event: Event): void;
}

/** One step's waiting for its provider to be within reach again, its subagents' included. Nothing is spent meanwhile. */
export class NetworkWait {
  readonly #options: NetworkWaitOptions;
  /** Places that were said to be out of reach, and not yet to be back. */
  readonly #told = new Set<string>();

  constructor(options: NetworkWaitOptions) {
    this.#options = options;
  }

  /** Whether the failure is one of the network, seen from here. Also false when it is not known where the agent's requests go. */
  async isOut(error: FlowerError, agent: Agent): Promise<boolean> {
    const { reachability, resilience, signal } = this.#options;
    const place = error.code === "offline" && resilience.offlineLimitMs > 0 ? await this.#placeFor(agent) : undefined;
    if (!place || signal.aborted) return false;
    return !(await reachability.isUp(place, signal).catch(() => true)); // an abort is seen by whoever decides
  }

  /**
   * Resolves once the agent's provider can be reached; an interrupt has that looked at at once. Rejects with `parked` when it took
   * too long, and with the signal's reason when aborted.
   */
  async untilBack(error: FlowerError, agent: Agent, attempt: number): Promise<void> {
    const place = await this.#placeFor(agent);
    if (!place) return;
    const { reachability, words, clock, resilience, signal } = this.#options;
    const name = `${place.host}:${place.port}`;
    this.#tellOut(name, attempt);
    const deadline = clock.now() + resilience.offlineLimitMs;
    const stopListening = words.onInterrupt(() => reachability.hurry(place));
    try {
      while (!(await reachability.next(place, signal))) {
        if (clock.now() >= deadline) throw outTooLong(name, resilience.offlineLimitMs, error);
      }
      this.#tellBack(name, attempt);
    } catch (reason) {
      this.#told.delete(name);
      throw reason;
    } finally {
      stopListening();
    }
  }

  async #placeFor(agent: Agent): Promise<Place | undefined> {
    return placeOf(await this.#options.backend.endpoint?.(agent));
  }

  #tellOut(place: string, attempt: number): void {
    if (this.#told.has(place)) return;
    this.#told.add(place);
    const minutes = Math.ceil(this.#options.resilience.offlineLimitMs / 60_000);
    this.#tell("offline", { place, minutes }, attempt);
  }

  #tellBack(place: string, attempt: number): void {
    if (this.#told.delete(place)) this.#tell("online", { place }, attempt);
  }

  #tell(reason: "offline" | "online", values: Readonly<Record<string, string | number>>, attempt: number): void {
    const { step, language, publish } = this.#options;
    publish(makeEvent("retry", translator(language)(`runtime.${reason}`, values), { step, attempt, reason }));
  }
}

function outTooLong(place: string, ms: number, cause: FlowerError): FlowerError {
  const message = `${place} could not be reached for ${Math.round(ms / 1000)} s. Nothing is lost: start again to go on. ${cause.message}`;
  return new FlowerError("parked", message, { cause });
}
