import type { Agent } from "../../agents/agent.ts";
import { isRecord } from "../../core/json.ts";
import { costOf } from "../../engines/prices.ts";
import { type Event, type EventExtra, makeEvent, type Speech, type ToolResultPayload } from "../../messages/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../../messages/usage.ts";
import type { CallNote } from "./call-gate.ts";
import { normalize } from "./normalize.ts";
import { isSynthetic } from "./speech.ts";
import { toUsage } from "./usage.ts";

export interface ReaderOptions {
  readonly agent: Agent;
  readonly step?: string;
  readonly toolName: (name: string) => string;
  readonly notes: ReadonlyMap<string, CallNote>;
}

type Message = Readonly<Record<string, unknown>>;
type SpeechEvent = Extract<Event, { kind: "text" | "thinking" | "tool_call" }>;

/**
 * Reads a query's messages in order: numbers the replies, and puts each reply's final usage and price on its last block. The CLI
 * gives a block as soon as it is whole, the usage only after the last; so the newest block is held back until it is known.
 */
export class ReplyReader {
  /** Ids of the main thread's replies so far. */
  readonly mainReplies = new Set<string>();
  /** Replies so far, those of subagents included. */
  replies = 0;
  /** Context level of the newest call of the main thread. */
  context = 0;
  /** Prose of the newest reply of the main thread. */
  text = "";
  /** What the replies so far have used, as far as it was told. */
  usage: Usage = NO_USAGE;
  /** The newest error that was written like an answer. */
  failure: { readonly text: string; readonly flag?: string } | undefined;
  readonly #options: ReaderOptions;
  readonly #seen = new Set<unknown>();
  readonly #started = new Map<string, string>();
  /** Id of the main thread's reply that is being streamed. */
  #streaming: unknown;
  #held: SpeechEvent | undefined;
  #heldUsage: Usage | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Number of the main thread's newest reply. */
  get iteration(): number {
    return this.mainReplies.size;
  }

  /** A reply of the main thread has begun to come and has not ended. */
  get isMidReply(): boolean {
    return this.#streaming !== undefined;
  }

  async read(message: unknown): Promise<readonly Event[]> {
    if (!isRecord(message)) return this.#normalize(message);
    if (message["type"] === "stream_event") return this.#stream(message);
    if (message["type"] === "assistant" && isRecord(message["message"])) return this.#assistant(message, message["message"]);
    const events = this.#normalize(message).map((event) => (event.kind === "tool_result" ? this.#noted(event) : event));
    return [...(await this.#release()), ...events];
  }

  /** The block that is still held: nothing more comes. */
  async rest(): Promise<readonly Event[]> {
    return this.#release();
  }

  async #assistant(message: Message, inner: Message): Promise<readonly Event[]> {
    if (isSynthetic(message)) {
      this.#streaming = undefined;
      const [event] = this.#normalize(message);
      this.failure = { text: event?.text ?? "", ...(typeof message["error"] === "string" ? { flag: message["error"] } : {}) };
      return [...(await this.#release()), ...this.#normalize(message)];
    }
    const isMain = typeof message["parent_tool_use_id"] !== "string";
    const isNew = this.#count(inner["id"], isMain);
    const events = this.#normalize(message);
    for (const event of events) if (event.kind === "tool_call") this.#noteStart(event);
    if (!isMain) return [...(await this.#release()), ...(await this.#ofSubagent(events, isNew))];
    const released = await this.#release();
    for (const event of events) if (event.kind === "text") this.text += event.text;
    const last = events.at(-1);
    if (!last || !isSpeech(last)) return [...released, ...events];
    this.context = last.payload.context ?? this.context;
    this.#held = withPayload(last, { usage: undefined });
    this.#heldUsage = toUsage(inner["usage"]);
    return [...released, ...events.slice(0, -1).map((event) => (isSpeech(event) ? withPayload(event, { usage: undefined }) : event))];
  }

  async #stream(message: Message): Promise<readonly Event[]> {
    const event = isRecord(message["event"]) ? message["event"] : {};
    if (typeof message["parent_tool_use_id"] === "string") return this.#normalize(message);
    if (event["type"] === "message_delta") {
      const usage = toUsage(event["usage"]) ?? this.#heldUsage;
      return this.#release(usage);
    }
    if (event["type"] === "message_start" && isRecord(event["message"])) this.#streaming = event["message"]["id"];
    if (event["type"] === "message_stop") this.#streaming = undefined;
    const released = event["type"] === "content_block_start" ? await this.#releaseEarly() : [];
    return [...released, ...this.#normalize(message, this.#streamedIteration())];
  }

  /** Fragments come before their reply's first whole block, by which it is counted. */
  #streamedIteration(): number {
    return this.#seen.has(this.#streaming) ? this.iteration : this.iteration + 1;
  }

  /** A further block follows: the held one was not the last. */
  async #releaseEarly(): Promise<readonly Event[]> {
    const held = this.#held;
    this.#held = undefined;
    return held ? [held] : [];
  }

  async #release(usage: Usage | undefined = this.#heldUsage): Promise<readonly Event[]> {
    const held = this.#held;
    this.#held = undefined;
    this.#heldUsage = undefined;
    return held ? [usage ? await this.#priced(held, usage) : held] : [];
  }

  /** Of a subagent's replies no final usage is told: what is known counts once for each, so that limits see it. */
  async #ofSubagent(events: readonly Event[], isNew: boolean): Promise<readonly Event[]> {
    const read: Event[] = [];
    for (const event of events) {
      if (!isSpeech(event)) read.push(event);
      else if (isNew && event.payload.usage) read.push(await this.#priced(event, event.payload.usage));
      else read.push(withPayload(event, { usage: undefined }));
    }
    return read;
  }

  async #priced(event: SpeechEvent, counted: Usage): Promise<Event> {
    const { model } = event.payload;
    const costUsd = model === undefined ? undefined : await costOf("anthropic", model, counted);
    const usage: Usage = { ...counted, ...(costUsd === undefined ? {} : { costUsd }) };
    this.usage = addUsage(this.usage, usage);
    return withPayload(event, { usage, ...(costUsd === undefined ? {} : { costUsd }) });
  }

  #count(id: unknown, isMain: boolean): boolean {
    if (typeof id !== "string" || this.#seen.has(id)) return false;
    this.#seen.add(id);
    this.replies++;
    if (isMain) {
      this.mainReplies.add(id);
      this.text = "";
    }
    return true;
  }

  #noteStart(event: Extract<Event, { kind: "tool_call" }>): void {
    const { id, input } = event.payload;
    if (event.tool !== "Agent" || !isRecord(input)) return;
    const type = input["subagent_type"];
    if (typeof type === "string") this.#started.set(id, type);
  }

  #noted(event: Extract<Event, { kind: "tool_result" }>): Event {
    const note = this.#options.notes.get(event.payload.toolUseId);
    if (!note) return event;
    const payload: ToolResultPayload = { ...event.payload, ...(note.detail === undefined ? {} : { detail: note.detail }) };
    return makeEvent("tool_result", note.text ?? event.text, payload, { raw: event.raw });
  }

  #normalize(message: unknown, iteration = this.iteration): Event[] {
    const { agent, step, toolName } = this.#options;
    return normalize(message, {
      agent: agent.name,
      iteration,
      ...(step === undefined ? {} : { step }),
      toolName,
      subagentOf: (id) => this.#started.get(id),
    });
  }
}

function isSpeech(event: Event): event is SpeechEvent {
  return event.kind === "text" || event.kind === "thinking" || event.kind === "tool_call";
}

function withPayload(event: SpeechEvent, change: Partial<Speech>): SpeechEvent {
  const extra: EventExtra = { raw: event.raw, ...(event.kind === "tool_call" ? { tool: event.tool } : {}) };
  const payload = Object.fromEntries(Object.entries({ ...event.payload, ...change }).filter(([, value]) => value !== undefined));
  return makeEvent(event.kind, event.text, payload as never, extra) as SpeechEvent; // of the same kind, so of the same payload
}
