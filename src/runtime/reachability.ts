import { connect } from "node:net";
import { abortReason } from "../core/abort.ts";
import type { Clock } from "../core/clock.ts";

/** A host and port that requests go to. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Whether one TCP connection to a place comes about; nothing is sent over it. `stop` gives it up, as a no. */
export interface Probe {
  readonly answer: Promise<boolean>;
  stop(): void;
}

export interface ReachabilityOptions {
  readonly clock: Clock;
  /** Milliseconds between two probes of a place that is waited for. */
  readonly everyMs: number;
  /** Default: DNS and a TCP connection. */
  readonly probe?: (place: Place) => Probe;
}

/** Which places can be reached. Whoever waits for the same place shares its probes. */
export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** Probes now, or joins the probe under way. Rejects with the signal's reason when aborted. */
  isUp(place: Place, signal: AbortSignal): Promise<boolean> {
    return this.#line(place).probed(signal, { now: true });
  }

  /** What the next regular probe says. Rejects with the signal's reason when aborted. */
  next(place: Place, signal: AbortSignal): Promise<boolean> {
    return this.#line(place).probed(signal, { now: false });
  }

  /** Brings the next probe forward, if anybody waits for it. */
  hurry(place: Place): void {
    this.#line(place).hurry();
  }

  #line(place: Place): Line {
    const key = `${place.host} ${place.port}`;
    let line = this.#lines.get(key);
    if (!line) {
      const { clock, everyMs, probe = tcpProbe } = this.#options;
      line = new Line(clock, everyMs, () => probe(place));
      this.#lines.set(key, line);
    }
    return line;
  }
}

/** The probes of one place: at most one at a time, and none while nobody waits. */
class Line {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #start: () => Probe;
  readonly #waiting = new Set<(isUp: boolean) => void>();
  #underWay: Probe | undefined;
  /** Somebody was in a hurry when a probe was under way already: the next one comes at once. */
  #isUrgent = false;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number, start: () => Probe) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#start = start;
  }

  probed(signal: AbortSignal, when: { readonly now: boolean }): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const onAbort = () => {
        this.#waiting.delete(tell);
        if (this.#waiting.size === 0) this.#rest();
        reject(abortReason(signal));
      };
      const tell = (isUp: boolean) => {
        signal.removeEventListener("abort", onAbort);
        resolve(isUp);
      };
      this.#waiting.add(tell);
      signal.addEventListener("abort", onAbort, { once: true });
      if (when.now || this.#isUrgent) this.#probe();
      else if (!this.#underWay) this.#cancelTimer ??= this.#clock.after(this.#everyMs, () => this.#probe());
    });
  }

  hurry(): void {
    if (this.#underWay) this.#isUrgent = true;
    else if (this.#waiting.size > 0) this.#probe();
  }

  #probe(): void {
    this.#stopTimer();
    if (this.#underWay) return;
    this.#isUrgent = false;
    const probe = this.#start();
    const cancel = this.#clock.after(PROBE_TIMEOUT_MS, () => probe.stop());
    this.#underWay = probe;
    void probe.answer.then((isUp) => {
      cancel();
      if (this.#underWay !== probe) return;
      this.#underWay = undefined;
      const told = [...this.#waiting];
      this.#waiting.clear();
      for (const tell of told) tell(isUp);
    });
  }

  /** Nobody waits any more. */
  #rest(): void {
    this.#stopTimer();
    this.#underWay?.stop();
    this.#underWay = undefined;
    this.#isUrgent = false;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

/** A network that swallows packets gives no answer for minutes. */
const PROBE_TIMEOUT_MS = 10_000;

function tcpProbe(place: Place): Probe {
  const socket = connect(place);
  const answer = new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
  void answer.then(() => socket.destroy());
  return { answer, stop: () => void socket.destroy() };
}

/** Where an address leads; undefined for what is no http(s) address. */
export function placeOf(endpoint: string | undefined): Place | undefined {
  if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
  const { protocol, hostname, port } = new URL(endpoint);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
}
