import { FlowerError } from "../core/errors.ts";
import type { Ask } from "../human/ask.ts";
import type { HumanChannel } from "../human/channel.ts";
import type { AmendReceipt } from "../human/mail.ts";
import type { LoggedEvent } from "../messages/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { toLoggedEvent } from "../workbench/event-reader.ts";
import { readChain, toCursor } from "../workbench/run-chain.ts";
import { answerText } from "./read-answer.ts";
import type { AskView, EventQuery, MailReceipt, OracleReply, RunState, ServedRun } from "./run-control.ts";
import { EMPTY_STORY, reduceStory, toRunState } from "./run-story.ts";

export interface LiveRunOptions {
  readonly runtime: Runtime;
  readonly channel: HumanChannel;
  /** Ends the run and its process, in order. Called once. */
  readonly abort: (reason: string) => void;
}

export interface ServeRunOptions {
  readonly runtime: Runtime;
  /** The workflow's. */
  readonly channel: HumanChannel;
  /** Told once, with the reason, when a client ends the run. Default: `runtime.abort()`. */
  readonly abort?: (reason: string) => void;
}

/**
 * The run of a Runtime of this process, for `createApp` or for routes of your own. Make it before the run begins, so that its
 * state knows every event. Throws `bad-config` for a channel that waits for ever: over HTTP nobody may ever come and look.
 */
export function serveRun({ runtime, channel, abort }: ServeRunOptions): ServedRun {
  if (channel.timeoutMs === null) {
    const text = "Over HTTP nobody may ever look at a question, so it must not wait for ever. Give the channel a timeoutMs.";
    throw new FlowerError("bad-config", text);
  }
  const stop = (reason: string) => runtime.abort(new FlowerError("aborted", `Stopped by the person. ${reason}`.trim()));
  return new LiveRun({ runtime, channel, abort: abort ?? stop });
}

/** The run of this process. Made before the run begins, so that it knows every event. */
export class LiveRun implements ServedRun {
  readonly #runtime: Runtime;
  readonly #channel: HumanChannel;
  readonly #abort: (reason: string) => void;
  #story = EMPTY_STORY;
  #isAborted = false;

  constructor({ runtime, channel, abort }: LiveRunOptions) {
    this.#runtime = runtime;
    this.#channel = channel;
    this.#abort = abort;
    runtime.books.onLine((line) => {
      const event = toLoggedEvent(line);
      if (event) this.#story = reduceStory(this.#story, event);
    });
  }

  get id(): string {
    return this.#runtime.runId;
  }

  async state(): Promise<RunState> {
    return toRunState(this.#story, { run: this.id, chain: this.#chain, isAlive: true, asks: await this.asks() });
  }

  async asks(): Promise<readonly AskView[]> {
    return this.#channel.asks.map(toAskView);
  }

  async answer(askId: string, words: string): Promise<boolean> {
    const asked = this.#channel.asks.find(({ id, state }) => id === askId && state === "asked");
    return asked !== undefined && this.#settled(this.#channel.answer(askId, answerText(asked, words, this.#channel.language)));
  }

  async decline(askId: string, reason = ""): Promise<boolean> {
    return this.#settled(this.#channel.decline(askId, reason));
  }

  async send(text: string): Promise<MailReceipt> {
    const { id, state, amended, notSaved } = await this.#channel.send(text);
    return { id, state, amended, notSaved };
  }

  interrupt(text = ""): Promise<AmendReceipt> {
    return this.#runtime.interrupt(text);
  }

  async oracle(question: string, signal?: AbortSignal): Promise<OracleReply> {
    const { ok, text, costUsd, errorKind } = await this.#runtime.oracle(question, { signal });
    return { ok, text, costUsd, errorKind };
  }

  async abort(reason = ""): Promise<void> {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#abort(reason);
  }

  async page({ after, limit }: EventQuery & { readonly limit: number }): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for await (const { event } of readChain(this.#runtime.runDir, { runs: this.#chain, after: toCursor(after, this.id) })) {
      events.push(event);
      if (events.length === limit) break;
    }
    return events;
  }

  follow(query: EventQuery & { readonly signal: AbortSignal }): AsyncIterable<LoggedEvent> {
    return this.#runtime.events(query);
  }

  get #chain(): readonly string[] {
    return [...this.#runtime.books.earlier, this.id];
  }

  /** Who is told that an answer counts must find it on disk. */
  async #settled(won: boolean): Promise<boolean> {
    if (won) await this.#channel.flush();
    return won;
  }
}

function toAskView({ id, question, options, askedAt, waitedMs, state, answer, path, purpose }: Ask): AskView {
  return { id, question, options, askedAt, waitedMs, state, answer, path, purpose };
}
