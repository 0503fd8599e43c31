import { isAbsolute, join, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { EngineBook } from "../agents/engine-book.ts";
import type { Backend } from "../backends/backend.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { Unsettled } from "../core/unsettled.ts";
import { diffTree, hashTree } from "../guards/tree-hash.ts";
import type { AmendReceipt } from "../human/mail.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { Event, EventSink, LoggedEvent } from "../messages/event.ts";
import type { Environment } from "../tools/builtin/environment.ts";
import { Workbench } from "../workbench/workbench.ts";
import { Aside, asideOptions, type OracleAnswer, type OracleOptions } from "./aside.ts";
import type { Attendant } from "./attendant.ts";
import { BudgetLedger } from "./budget.ts";
import { Interrupts } from "./interrupts.ts";
import { nativeBackend } from "./native-backend.ts";
import type { OracleMaterial } from "./oracle-prompt.ts";
import { performStep, type RunScope } from "./perform-step.ts";
import { Publisher } from "./publisher.ts";
import { Reachability } from "./reachability.ts";
import { DEFAULT_RESILIENCE } from "./resilience.ts";
import { type EventsOptions, RunBooks } from "./run-books.ts";
import { checkRuntimeOptions, type RunOptions, type RuntimeOptions } from "./runtime-options.ts";
import type { StepResult } from "./step-result.ts";
import { WorkPlaces } from "./work-places.ts";
import { WorkbenchNews } from "./workbench-news.ts";

export type { RunOptions, RuntimeOptions };

/**
 * Runs agents for hours: one step is one `run`, with retries, interrupts and limits inside, and books that survive a kill.
 * Several steps may run at a time; nothing that belongs to a step lives here.
 */
export class Runtime {
  readonly workspace: string;
  readonly runDir: string;
  readonly workbench: Workbench;
  readonly language: Language;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly ledger: BudgetLedger;
  /** What sinks threw, oldest first. */
  readonly uiErrors: unknown[];
  readonly books: RunBooks;
  readonly #options: RuntimeOptions;
  readonly #engines: EngineBook;
  readonly #publisher: Publisher;
  readonly #interrupts = new Interrupts();
  readonly #places: WorkPlaces;
  readonly #scope: RunScope;
  readonly #aside: Aside;
  readonly #abort = new AbortController();
  readonly #runs = new Unsettled();
  /** Background commands: of each workspace a promise that settles when they are gone. */
  readonly #jobs = new Unsettled();
  /** Of the newest step: with whose model the oracle speaks when the Runtime has none. */
  #voice: Pick<Agent, "engine" | "model"> = {};
  #backend: Promise<Backend> | undefined;

  constructor(options: RuntimeOptions = {}) {
    checkRuntimeOptions(options);
    this.#options = options;
    this.workspace = resolve(options.workspace ?? ".");
    const runDir = options.runDir ?? "runs";
    this.runDir = isAbsolute(runDir) ? runDir : join(this.workspace, runDir);
    this.language = options.language ?? options.workbench?.language ?? "en";
    this.workbench = options.workbench ?? new Workbench(this.workspace, { language: this.language });
    this.environment = options.env ?? process.env;
    this.clock = options.clock ?? systemClock;
    this.ledger = new BudgetLedger(options.budget, this.clock);
    this.books = new RunBooks({ runDir: this.runDir, clock: this.clock });
    this.#engines = new EngineBook({ engine: options.engine });
    this.#publisher = new Publisher((event) => this.books.log(event));
    this.uiErrors = this.#publisher.errors;
    this.#places = new WorkPlaces(this);
    this.#scope = this.#makeScope();
    this.#aside = new Aside({
      open: () => this.#openAside(),
      material: () => this.#oracleMaterial(),
      voice: () => this.#voice,
    });
  }

  get runId(): string {
    return this.books.runId;
  }

  get manifestPath(): string {
    return this.books.manifestPath;
  }

  /** Ends with the run: aborted by `abort()` and at close. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** US dollars of everything run so far; undefined when a price is unknown. */
  totalCost(): number | undefined {
    return this.ledger.total.costUsd;
  }

  async hasSession(sessionId: string): Promise<boolean> {
    return (await this.#getBackend()).hasSession(sessionId);
  }

  /** Runs one agent to its end. A failure of the work is a result with `ok: false`; wrong wiring throws. */
  run(agent: Agent, prompt: string, options: RunOptions = {}): Promise<StepResult> {
    return this.#runs.add(this.#run(agent, prompt, options));
  }

  async #run(agent: Agent, prompt: string, options: RunOptions): Promise<StepResult> {
    if (!this.#options.engine) this.#voice = { engine: agent.engine, model: agent.model };
    await this.books.open();
    return performStep({ agent, prompt, options, backend: await this.#getBackend() }, this.#scope);
  }

  /**
   * Asks about the run on the side: somebody who only reads answers from the last events and the documents. It may be asked at any
   * time, several at once; the run does not notice, and its cost and sessions are kept apart, in `<runDir>/aside`.
   */
  oracle(question: string, options: OracleOptions = {}): Promise<OracleAnswer> {
    return this.#aside.ask(question, options);
  }

  /**
   * Stops the work at the next boundary and gives it a person's words; without words it just goes on. Nothing finished is
   * lost and no attempt is used up. With no step under way the words wait for the next. A workflow with a channel keeps them
   * too, where it keeps mail. Resolves, never rejects, to whether they are saved.
   */
  interrupt(text = ""): Promise<AmendReceipt> {
    return this.#interrupts.interrupt(text);
  }

  /** Who stands for the person from now on; words that came before are given to them. The returned function ends it. */
  attend(attendant: Attendant): () => void {
    return this.#interrupts.attend(attendant);
  }

  /** Words of a person that no step has taken yet; they are given once. */
  takeWaitingWords(): readonly string[] {
    return this.#interrupts.takeWaiting();
  }

  /** The hard stop: cancels model calls and tools. What was finished stays. */
  abort(reason: unknown = new FlowerError("aborted", "The run was aborted.")): void {
    this.#abort.abort(reason);
  }

  /** Before the process goes: writes the steps under way to the manifest as `killed-by-signal`. Their sessions can be resumed. */
  rescue(): Promise<void> {
    return this.books.rescue("killed-by-signal");
  }

  /**
   * The run's log behind a cursor, then live: each event once, in order, without a gap, and only once it is on disk. A cursor
   * of an earlier run of the chain gives the rest of that run first. Ends after `run-end`, when the Runtime is closed, and when
   * the signal aborts. Read it as slowly as you like. Throws `bad-input` for what is no cursor, `not-found` for a run of
   * another chain.
   */
  events(options: EventsOptions = {}): AsyncGenerator<LoggedEvent, void, void> {
    return this.books.events(options);
  }

  /** Logs an event and gives it to the sink. A sink that throws never harms the run. */
  publish(event: Event, sink?: EventSink): void {
    this.#publisher.publish(event, sink);
  }

  /** Calls a listener. What it throws, also later, is collected and reported once; it never harms the run. */
  tell(listener: () => unknown): void {
    this.#publisher.tell(listener);
  }

  /** Runs `work` and says which files of the workspace it changed: added, changed or removed, paths relative to it. */
  async watchTree<T>(work: () => Promise<T>): Promise<{ readonly results: T; readonly changed: readonly string[] }> {
    const exclude = [this.runDir, this.workbench.root];
    const before = await hashTree(this.workspace, { exclude });
    const results = await work();
    const { added, removed, changed } = diffTree(before, await hashTree(this.workspace, { exclude }));
    return { results, changed: [...added, ...changed, ...removed].sort() };
  }

  /** Closes the books. Runs still under way are aborted first, and end as such: what they finished is kept. */
  async close(): Promise<void> {
    await this.#aside.close();
    if (!this.signal.aborted) this.abort(new FlowerError("aborted", "The Runtime was closed.")); // a workflow may wait for a person
    await this.#runs.settled();
    await this.#jobs.settled();
    const backend = await this.#backend?.catch(() => undefined);
    await backend?.close();
    await this.books.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #makeScope(): RunScope {
    const { workbench, language, clock, ledger, books, signal } = this;
    const resilience = { ...DEFAULT_RESILIENCE, ...this.#options.resilience };
    return {
      ...{ workbench, language, clock, ledger, books, signal, resilience },
      settings: this.#options,
      reachability: new Reachability({ clock, everyMs: resilience.probeEveryMs }),
      news: new WorkbenchNews(workbench),
      places: this.#places,
      interrupts: this.#interrupts,
      publish: (event, sink) => this.publish(event, sink),
    };
  }

  #openAside(): Runtime {
    if (this.#options.backend) void this.#getBackend(); // used from now on: to be closed with this Runtime
    return new Runtime(asideOptions(this.#options, this));
  }

  async #oracleMaterial(): Promise<OracleMaterial> {
    await this.books.flush();
    const { runDir, workbench } = this;
    return { runDir, workbench, runs: [...this.books.earlier, this.runId] };
  }

  #getBackend(): Promise<Backend> {
    const { backend } = this.#options;
    this.#backend ??= backend
      ? Promise.resolve(backend)
      : nativeBackend({
          books: this.books,
          places: this.#places,
          clock: this.clock,
          environment: this.environment,
          lifetime: this.signal,
          engineOf: (agent) => this.#engines.of(agent),
          onJobsEnding: (gone) => void this.#jobs.add(gone),
        });
    return this.#backend;
  }
}
