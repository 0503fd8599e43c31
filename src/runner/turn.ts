import type { Agent } from "../agents/agent.ts";
import { type Clock, toInstant } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallPart, Message, Part, ResultPart } from "../messages/message.ts";
import { addUsage, NO_USAGE, type Usage } from "../messages/usage.ts";
import type { JournalEntry, SessionLease } from "../sessions/store.ts";

/** The agent transfer that a turn made. */
export interface HandoffRecord {
  readonly targetAgentName: string;
  readonly reason: string;
}

/** What becomes history when: with the whole turn (chat), or after each finished iteration (work). */
export type CommitUnit = "turn" | "iteration";

/**
 * One turn of one session while it is open. Whatever is journalled becomes history when the unit commits; until then a
 * rollback, an abort or a death leaves history and active agent as they were.
 */
export class OpenTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly metadata: JsonObject;
  /** The committed history and what this turn journalled since, in order. Only this turn adds to it. */
  readonly messages: Message[];
  agent: Agent;

  // The turn's books, read by the response and by limits.
  iterations = 0;
  usage: Usage = NO_USAGE;
  /** Context level of the newest model call, in tokens. */
  context = 0;
  readonly toolNames: string[] = [];
  /** Results of the reply under way, by call id; whoever settles a turn that broke off needs them. */
  readonly answered = new Map<string, ResultPart>();
  /** Ids of calls that were started here and are not to be made again, should they be cut. */
  readonly unrepeatable = new Set<string>();
  /** Ids of calls that an earlier process had started when it ended. */
  readonly startedBefore = new Set<string>();
  handoff: HandoffRecord | undefined;
  /** The structured answer had the wrong form once. */
  outputRefused = false;
  handoffs = 0;
  handoffLimitHit = false;
  /** The iteration in which the conversation last moved; 0 = not in this turn. */
  movedIn = 0;
  /** `A→B` transfers since the last ordinary tool call. */
  readonly recentTransfers: string[] = [];

  readonly #lease: SessionLease;
  readonly #unit: CommitUnit;
  readonly #clock: Clock;
  /** The answer, until it is written. */
  #unwritten: readonly JournalEntry[] = NOTHING;
  #ended = false;

  constructor(lease: SessionLease, options: OpenTurnOptions) {
    this.#lease = lease;
    this.#unit = options.unit;
    this.#clock = options.clock;
    this.turnId = options.turnId ?? newId();
    this.sessionId = lease.sessionId;
    this.metadata = options.metadata;
    this.agent = options.agent;
    this.messages = lease.state.history.slice();
  }

  /** Begins the turn, in one write with the message that it answers; without one, goes on with a turn that was left open. */
  begin(prompt?: Message): Promise<void> {
    if (!prompt) return this.#lease.begin(this.turnId);
    this.messages.push(prompt);
    return this.#lease.begin(this.turnId, [{ type: "message", message: prompt }]);
  }

  /**
   * Adds a message. An answer is written together with what comes next, the commit as a rule: nothing lies between them. Unless it
   * is checked by a schema, which may take its time.
   */
  journal(message: Message): Promise<void> | undefined {
    this.messages.push(message);
    if (message.role === "tool") this.answered.clear();
    const entry: JournalEntry = { type: "message", message };
    if (!isAnswer(message) || this.agent.output) return this.#append(entry);
    this.#unwritten = [...this.#unwritten, entry];
    return undefined;
  }

  /** Leaves the turn open on purpose; a later lease continues it. */
  pause(): Promise<void> {
    return this.#lease.pause();
  }

  callStarted(call: CallPart, idempotent: boolean): Promise<void> {
    if (!idempotent) this.unrepeatable.add(call.callId);
    return this.#append({ type: "call-started", callId: call.callId, name: call.name, idempotent });
  }

  callEnded(result: ResultPart): Promise<void> {
    this.answered.set(result.callId, result);
    return this.#append({ type: "call-result", result });
  }

  /** Keeps what a person had already seen of a reply that an abort cut. */
  shownBeforeAbort(text: string, reason: string): Promise<void> {
    return this.#append({ type: "aborted", text, reason });
  }

  /** Commits here when the unit is the iteration; else, undefined, at the end. */
  endIteration(): Promise<unknown> | undefined {
    return this.#unit === "iteration" ? this.#commit(false) : undefined;
  }

  /**
   * The turn is over: everything it journalled is history, the active agent is kept. Where a turn is the unit, the session is free
   * with the same write. Safe to call twice.
   */
  async end(): Promise<void> {
    if (this.#ended) return;
    await this.#commit(true);
    this.#ended = true;
  }

  addUsage(usage: Usage): void {
    this.usage = this.iterations === 1 ? usage : addUsage(this.usage, usage);
  }

  /** The conversation moves to another agent, who answers from the next iteration on. */
  moveTo(target: Agent, reason: string): void {
    this.recentTransfers.push(`${this.agent.name}→${target.name}`);
    this.handoffs++;
    this.movedIn = this.iterations;
    this.handoff = { targetAgentName: target.name, reason };
    this.agent = target;
  }

  /** A message of this turn, stamped. */
  message(role: Message["role"], parts: readonly Part[], extra: Partial<Message> = {}): Message {
    return { id: newId(), role, parts, at: toInstant(this.#clock.now()), ...extra };
  }

  async #append(entry: JournalEntry): Promise<void> {
    await this.#lease.append(...this.#unwritten, entry);
    this.#unwritten = NOTHING;
  }

  async #commit(end: boolean): Promise<void> {
    const release = end && this.#unit === "turn";
    await this.#lease.commit({ end, entries: this.#unwritten, activeAgent: this.agent.name, release });
    this.#unwritten = NOTHING;
  }
}

const NOTHING: readonly JournalEntry[] = [];

function isAnswer(message: Message): boolean {
  return message.role === "model" && !message.aborted && message.parts.every((part) => part.type !== "call");
}

export interface OpenTurnOptions {
  readonly unit: CommitUnit;
  readonly agent: Agent;
  readonly metadata: JsonObject;
  readonly clock: Clock;
  readonly turnId?: string;
}
