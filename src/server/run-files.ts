import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import type { StoredAsk } from "../human/ask.ts";
import { readBook } from "../human/ask-book.ts";
import { answerInStore, sendToStore } from "../human/ask-store.ts";
import { readEvents } from "../workbench/event-reader.ts";
import { eventsPath } from "../workbench/run-chain.ts";
import { answerText } from "./read-answer.ts";
import type { AskView, MailReceipt, RunState } from "./run-control.ts";
import { EMPTY_STORY, type RunStory, reduceStory, toRunState } from "./run-story.ts";

export interface RunFilesOptions {
  readonly runDir: string;
  /** The runs of the chain, oldest first; at least one. */
  readonly chain: readonly string[];
  /** Whether a process runs the last of them. */
  readonly isAlive: boolean;
  readonly clock?: Clock;
}

/** A run as its files tell of it, when its process cannot be asked. What is written here the next start of the chain finds. */
export class RunFiles {
  /** The last run of the chain that got as far as to leave a log. */
  readonly id: string;
  readonly #options: RunFilesOptions;
  readonly #clock: Clock;
  readonly #storePath: string;

  constructor(options: RunFilesOptions) {
    const { runDir, chain } = options;
    const newest = chain.toReversed();
    const last = newest[0] as string; // there is at least one
    this.id = newest.find((run) => existsSync(eventsPath(runDir, run))) ?? last;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const asksPath = (run: string) => join(runDir, run, "asks.json");
    this.#storePath = newest.map(asksPath).find(existsSync) ?? asksPath(this.id);
  }

  /** Of the last run that did something: one that found everything finished tells nothing of the job. */
  async state(): Promise<RunState> {
    const { chain, isAlive } = this.#options;
    const facts = { chain, isAlive, asks: await this.asks() };
    const last = toRunState(await this.#story(this.id), { ...facts, run: this.id });
    if (isAlive || last.outcome !== "achieved") return last;
    for (const run of chain.slice(0, chain.indexOf(this.id) + 1).toReversed()) {
      const story = await this.#story(run);
      if (story.didWork) return toRunState(story, { ...facts, run });
    }
    return last;
  }

  /** The last verdict on the same work in the runs before this one. What came before a run that achieved its goal is about other work. */
  async verdictBefore(run: string): Promise<RunState["verdict"]> {
    const { chain } = this.#options;
    for (const earlier of chain.slice(0, chain.indexOf(run)).toReversed()) {
      const { verdict, end } = await this.#story(earlier);
      if (end?.outcome === "achieved") return undefined;
      if (verdict) return verdict;
    }
    return undefined;
  }

  async #story(run: string): Promise<RunStory> {
    let story = EMPTY_STORY;
    for await (const event of readEvents(eventsPath(this.#options.runDir, run))) story = reduceStory(story, event);
    return story;
  }

  async asks(): Promise<readonly AskView[]> {
    const { asks } = await readBook(this.#storePath);
    return asks.map((ask) => this.#toView(ask));
  }

  /** False when the question does not exist or waits no longer. Throws `bad-input` as a live run does. */
  async answer(askId: string, words: string): Promise<boolean> {
    const asked = (await this.asks()).find(({ id, state }) => id === askId && state === "asked");
    const text = asked ? answerText(asked, words) : words;
    return answerInStore(this.#storePath, askId, text, { clock: this.#clock });
  }

  async send(text: string): Promise<MailReceipt> {
    const { id, state, amended } = await sendToStore(this.#storePath, text, { clock: this.#clock });
    return { id, state, amended };
  }

  #toView({ id, question, options, askedAt, waitedMs, state, answer, path, purpose }: StoredAsk): AskView {
    const waited = waitedMs ?? Math.max(0, this.#clock.now() - Date.parse(askedAt));
    return { id, question, options, askedAt, waitedMs: waited, state, answer, path, purpose };
  }
}
