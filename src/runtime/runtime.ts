import { isAbsolute, join, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { EngineBook } from "../agents/engine-book.ts";
import type { Backend, BackendQuery } from "../backends/backend.ts";
import { linkAbort } from "../core/abort.ts";
import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import type { Engine } from "../engines/engine.ts";
import { isGlance } from "../guards/glance.ts";
import type { PermissionGuardOptions } from "../guards/permission.ts";
import { toPermissionQuestion } from "../guards/permission-question.ts";
import { diffTree, hashTree } from "../guards/tree-hash.ts";
import type { AmendReceipt } from "../human/mail.ts";
import { type Language, renderLabel, translator } from "../i18n/catalogue.ts";
import { type Event, type EventSink, type LoggedEvent, makeEvent } from "../messages/event.ts";
import type { StepLabel } from "../messages/label.ts";
import type { Environment } from "../tools/builtin/environment.ts";
import { Grants } from "../tools/builtin/grants.ts";
import { argsRecord, type CallGuard } from "../tools/call.ts";
import { Workbench } from "../workbench/workbench.ts";
import { Aside, lend, type OracleAnswer, type OracleOptions } from "./aside.ts";
import type { AttemptHost } from "./attempt-host.ts";
import { runAttempts } from "./attempt-loop.ts";
import type { Attendant } from "./attendant.ts";
import { BudgetLedger, type BudgetLimits } from "./budget.ts";
import { ContextHandoff, type ContextHandoffOptions } from "./context-handoff.ts";
import { DEFAULT_WINDOW } from "./context-limits.ts";
import { NetworkWait, type NetworkWaitOptions } from "./network-wait.ts";
import type { OracleMaterial } from "./oracle-prompt.ts";
import { Reachability } from "./reachability.ts";
import { DEFAULT_RESILIENCE, type Resilience } from "./resilience.ts";
import { type EventsOptions, RunBooks } from "./run-books.ts";
import { stepGuards } from "./step-guards.ts";
import type { StepResult } from "./step-result.ts";
import { Words } from "./words.ts";
import { WorkbenchNews } from "./workbench-news.ts";

export interface RuntimeOptions {
  /** The folder that agents work in. Default: the current one. */
  readonly workspace?: string;
  /** Where the books are kept; a relative path is taken from the workspace. Default `runs`. */
  readonly runDir?: string;
  /** Default: our own loop over any engine. */
  readonly backend?: Backend;
  /** For agents without their own. Default: resolved from the agent's `model` and the environment. */
  readonly engine?: Engine;
  /** Default: one in the workspace. A workflow's workbench must be the same. */
  readonly workbench?: Workbench;
  readonly resilience?: Partial<Resilience>;
  /** A session whose context is nearly full leaves a document to a fresh one. False: it goes on until the provider refuses. */
  readonly contextHandoff?: ContextHandoffOptions | false;
  /** Of the whole run: every step, judge and retry counts. */
  readonly budget?: BudgetLimits;
  readonly language?: Language;
  /** What commands inherit, credentials left out. Default: this process's environment. */
  readonly env?: Environment;
  readonly services?: Readonly<Record<string, unknown>>;
  /** A tool result of this many characters or more is kept in the workbench and the model gets its ends. Default 4,000; 0: never. */
  readonly spillThreshold?: number;
  /** Also give `delta` events to sinks. */
  readonly deltas?: boolean;
  readonly clock?: Clock;
}

const RUNTIME_OPTIONS: OptionKinds<RuntimeOptions> = {
  workspace: "any",
  runDir: "any",
  backend: "any",
  engine: "any",
  workbench: "any",
  resilience: "any",
  contextHandoff: "any",
  budget: "any",
  language: "any",
  env: "any",
  services: "any",
  spillThreshold: "amount",
  deltas: "any",
  clock: "any",
};

export interface RunOptions {
  /** For events and the manifest. Default: the agent's name. */
  readonly label?: StepLabel;
  /** An absolute folder to work in instead of the Runtime's: a copy of it. What is outside it is outside the workspace. */
  readonly workspace?: string;
  readonly stepName?: string;
  /** Go on in this session, if it still exists. */
  readonly resume?: string;
  /** Begin as a copy of this session. */
  readonly fork?: BackendQuery["fork"];
  readonly onEvent?: EventSink;
  /** Told the session before anything is sent, so that another process can resume it, and again once the prompt is part of it. */
  readonly onSession?: (sessionId: string, hasPrompt: boolean) => void | Promise<void>;
  readonly signal?: AbortSignal;
  /** False: a person's words at an interrupt are not for this run (a judge); they wait for the next that takes them. */
  readonly takesWords?: boolean;
  readonly promptFrom?: "person" | "framework";
  /** Says once that mail waits. */
  readonly notice?: () => string | undefined;
  /** The step's whole task, when `prompt` is only the latest of it (a rejection, a restart): for a session that takes over. */
  readonly task?: () => string | Promise<string>;
  /** Asks a person about a call that is not allowed by itself. Without it such calls are denied. */
  readonly askPermission?: PermissionGuardOptions["ask"];
}

interface RunningStep {
  readonly words: Words;
  readonly takesWords: boolean;
  /** The step's result as if it ended now with this error. */
  row?: (error: string) => StepResult;
}

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
  readonly uiErrors: unknown[] = [];
  readonly books: RunBooks;
  readonly #options: RuntimeOptions;
  readonly #resilience: Resilience;
  readonly #reachability: Reachability;
  readonly #grants = new Map<string, Grants>();
  readonly #engines: EngineBook;
  readonly #running = new Set<RunningStep>();
  readonly #runs = new Set<Promise<StepResult>>();
  /** Words for which no step was there to take them. */
  #waiting = new Words();
  #attendant: Attendant | undefined;
  /** Words that came before there was an attendant to keep them. */
  readonly #unkept: string[] = [];
  readonly #abort = new AbortController();
  readonly #aside: Aside;
  readonly #news: WorkbenchNews;
  /** Each settles when the background commands of a workspace are gone. */
  readonly #jobs: Promise<void>[] = [];
  #toolsets = 0;
  /** Of the newest step: with whose model the oracle speaks when the Runtime has none. */
  #voice: Pick<Agent, "engine" | "model"> = {};
  #backend: Promise<Backend> | undefined;
  #runEnded = false;

  constructor(options: RuntimeOptions = {}) {
    checkOptions("Runtime", options, RUNTIME_OPTIONS);
    this.#options = options;
    this.workspace = resolve(options.workspace ?? ".");
    const runDir = options.runDir ?? "runs";
    this.runDir = isAbsolute(runDir) ? runDir : join(this.workspace, runDir);
    this.language = options.language ?? options.workbench?.language ?? "en";
    this.workbench = options.workbench ?? new Workbench(this.workspace, { language: this.language });
    this.environment = options.env ?? process.env;
    this.clock = options.clock ?? systemClock;
    this.ledger = new BudgetLedger(options.budget, this.clock);
    this.#resilience = { ...DEFAULT_RESILIENCE, ...options.resilience };
    this.#reachability = new Reachability({ clock: this.clock, everyMs: this.#resilience.probeEveryMs });
    this.#engines = new EngineBook({ engine: options.engine });
    this.books = new RunBooks({ runDir: this.runDir, clock: this.clock });
    this.#news = new WorkbenchNews(this.workbench);
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
    const run = this.#run(agent, prompt, options);
    const forget = () => void this.#runs.delete(run);
    this.#runs.add(run);
    run.then(forget, forget);
    return run;
  }

  async #run(agent: Agent, prompt: string, options: RunOptions): Promise<StepResult> {
    if (!this.#options.engine) this.#voice = { engine: agent.engine, model: agent.model };
    await this.books.open();
    const backend = await this.#getBackend();
    const label = options.label ? renderLabel(options.label, this.language) : (options.stepName ?? agent.name);
    const link = linkAbort(options.signal, this.#abort.signal);
    const words = options.takesWords === false ? new Words() : this.#takeWaiting();
    const entry: RunningStep = { words, takesWords: options.takesWords !== false };
    this.#running.add(entry);
    const timer = this.#stepTimer(agent, (reason) => link.abort(reason));
    const contextHandoff = await this.#contextHandoff(agent, label, backend);
    const { resume, fork } = options;
    const note = await this.#news.noteFor(agent, resume !== undefined && (await backend.hasSession(resume)) ? resume : fork?.from);
    const publish = (event: Event) => this.publish(event, options.onEvent);
    const host: AttemptHost = {
      backend,
      workbench: this.workbench,
      contextHandoff,
      handoffName: options.label?.judge === undefined ? (options.label?.step ?? label) : label,
      succession: () => this.#succession(prompt, options),
      clock: this.clock,
      ledger: this.ledger,
      resilience: this.#resilience,
      network: this.#networkWait({ backend, step: label, words, signal: link.signal, publish }),
      words,
      signal: link.signal,
      language: this.language,
      publish,
      askToRaise: async (reached) => (await this.#attendant?.askToRaise(reached, link.signal)) ?? false,
      notice: options.notice ?? (() => undefined),
      onSession(sessionId, hasPrompt) {
        if (hasPrompt) note.told(sessionId);
        return options.onSession?.(sessionId, hasPrompt);
      },
      onBooks: (row) => {
        entry.row = row;
      },
    };
    try {
      const result = await runAttempts(
        {
          label,
          agent: contextHandoff ? agent.with({ tools: [...agent.tools, contextHandoff.desk.tool] }) : agent,
          prompt: `${note.text}${prompt}`,
          promptFrom: options.promptFrom ?? "framework",
          resume: options.resume,
          query: {
            approve: approver(options.askPermission),
            fork: options.fork,
            guards: [...(contextHandoff ? [contextHandoff.desk.guard] : []), ...this.#guards([agent], options)],
            guardsFor: (line) => this.#guards(line, options),
            services: this.#options.services ?? {},
            workspace: options.workspace ?? this.workspace,
            deltas: this.#options.deltas ?? false,
          },
        },
        host,
      );
      const aside = await this.books.addRow(result);
      if (aside !== undefined) this.publish(manifestAside(aside, this.language), options.onEvent);
      return result;
    } finally {
      timer();
      link.dispose();
      this.#running.delete(entry);
      for (const text of words.take()) this.#waiting.interrupt(text);
    }
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
    const takers = [...this.#running].filter((step) => step.takesWords);
    if (takers.length === 0) this.#waiting.interrupt(text);
    for (const { words } of takers) words.interrupt(text);
    if (text.trim() !== "" && this.#attendant) return this.#attendant.keepWords(text);
    if (text.trim() !== "") this.#unkept.push(text);
    return Promise.resolve({ amended: "" });
  }

  /** Who stands for the person from now on; words that came before are given to them. The returned function ends it. */
  attend(attendant: Attendant): () => void {
    this.#attendant = attendant;
    for (const text of this.#unkept.splice(0)) void attendant.keepWords(text);
    return () => {
      if (this.#attendant === attendant) this.#attendant = undefined;
    };
  }

  /** Words of a person that no step has taken yet; they are given once. */
  takeWaitingWords(): readonly string[] {
    return this.#waiting.take();
  }

  /** The hard stop: cancels model calls and tools. What was finished stays. */
  abort(reason: unknown = new FlowerError("aborted", "The run was aborted.")): void {
    this.#abort.abort(reason);
  }

  /** Before the process goes: writes the steps under way to the manifest as `killed-by-signal`. Their sessions can be resumed. */
  async rescue(): Promise<void> {
    const rows = [...this.#running].flatMap((step) => (step.row ? [step.row("killed-by-signal")] : []));
    for (const row of rows) await this.books.addRow(row);
    await this.books.flush();
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
    this.#runEnded = event.kind === "task" && event.payload.type === "run-end";
    this.books.log(event);
    if (sink) this.tell(() => sink(event));
  }

  /** Calls a listener. What it throws, also later, is collected and reported once; it never harms the run. */
  tell(listener: () => unknown): void {
    try {
      const returned = listener();
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#sinkFailed(error));
    } catch (error) {
      this.#sinkFailed(error);
    }
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
    await Promise.allSettled(this.#runs);
    await Promise.allSettled(this.#jobs);
    const backend = await this.#backend?.catch(() => undefined);
    await backend?.close();
    await this.books.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A Runtime for side questions: the same place and engine, books and budget of its own. */
  #openAside(): Runtime {
    const { budget: _runs, backend, ...options } = this.#options;
    const { workspace, workbench } = this;
    if (backend) void this.#getBackend(); // used from now on: to be closed with this Runtime
    const own = {
      workspace,
      workbench,
      runDir: join(this.runDir, "aside"),
      contextHandoff: false as const,
      ...(backend ? { backend: lend(backend) } : {}),
    };
    const resilience = { ...options.resilience, offlineLimitMs: 0 }; // an answer now or none
    return new Runtime({ ...options, ...own, resilience });
  }

  async #oracleMaterial(): Promise<OracleMaterial> {
    await this.books.flush();
    const { runDir, workbench } = this;
    return { runDir, workbench, runs: [...this.books.earlier, this.runId] };
  }

  /** For the last of a line of agents, each started by the one before. */
  #guards(line: readonly Agent[], options: RunOptions): readonly CallGuard[] {
    const { runDir, workbench } = this;
    const { workspace = this.workspace } = options;
    const { spillThreshold } = this.#options;
    const place = {
      ...{ workspace, runDir, workbench, spillThreshold, ask: options.askPermission },
      addDirs: this.#addDirs(workspace),
      grants: this.#grantsOf(workspace),
    };
    return stepGuards(line.at(-1) as Agent, place, line.slice(0, -1)); // a line has at least the step's own agent
  }

  /** The workbench may lie elsewhere. In a copy of the workspace it is left alone. */
  #addDirs(workspace: string): readonly string[] {
    return workspace === this.workspace ? [this.workbench.root] : [];
  }

  #grantsOf(workspace: string): Grants {
    let grants = this.#grants.get(workspace);
    if (!grants) {
      grants = new Grants();
      this.#grants.set(workspace, grants);
    }
    return grants;
  }

  async #contextHandoff(agent: Agent, step: string, backend: Backend): Promise<ContextHandoff | undefined> {
    const setting = this.#options.contextHandoff ?? {};
    if (setting === false) return undefined;
    const window = setting.window ?? (await backend.window?.(agent)) ?? DEFAULT_WINDOW;
    return new ContextHandoff({ ...setting, step, window, language: this.language });
  }

  /** What a session that takes over is told: documents as they stand now, edits of a person included. */
  async #succession(prompt: string, options: RunOptions) {
    const paths = [this.workbench.briefPath(), this.workbench.goalPath()];
    const documents = await Promise.all(paths.map(async (path) => ({ path, text: (await readText(path)) ?? "" })));
    return { task: (await options.task?.()) ?? prompt, documents, questions: this.#attendant?.openQuestions() ?? [] };
  }

  #networkWait(place: Pick<NetworkWaitOptions, "backend" | "step" | "words" | "signal" | "publish">): NetworkWait {
    return new NetworkWait({
      ...place,
      reachability: this.#reachability,
      clock: this.clock,
      resilience: this.#resilience,
      language: this.language,
    });
  }

  #takeWaiting(): Words {
    const words = this.#waiting;
    this.#waiting = new Words();
    return words;
  }

  #stepTimer(agent: Agent, abort: (reason: unknown) => void): () => void {
    const ms = agent.limits.timeoutMs;
    if (ms === undefined) return () => {};
    return this.clock.after(ms, () => abort(new FlowerError("step-timeout", `The step was stopped after ${ms / 1000} s.`)));
  }

  #sinkFailed(error: unknown): void {
    this.uiErrors.push(error);
    if (this.uiErrors.length > 1 || this.#runEnded) return; // nothing comes after the end of a run
    this.books.log(makeEvent("task", "A listener failed; the run is not affected.", { type: "notice", code: "sink-failed" }));
  }

  #getBackend(): Promise<Backend> {
    this.#backend ??= this.#options.backend ? Promise.resolve(this.#options.backend) : this.#makeNative();
    return this.#backend;
  }

  async #makeNative(): Promise<Backend> {
    const [{ NativeBackend }, { SqliteSessionStore }, { builtinTools }] = await Promise.all([
      import("../backends/native/native.ts"),
      import("../sessions/sqlite.ts"),
      import("../tools/builtin/builtin-tools.ts"),
    ]);
    return new NativeBackend({
      store: new SqliteSessionStore(await this.books.sessionsPath(), { clock: this.clock }),
      engine: (agent) => this.#engines.of(agent),
      looksOnly: async ({ name, args }, workspace) => name === "Bash" && isGlance(String(argsRecord(args)["command"] ?? ""), { workspace }),
      clock: this.clock,
      builtins: (workspace) =>
        builtinTools({
          workspace,
          addDirs: this.#addDirs(workspace),
          jobsFolder: join(this.books.folder, `jobs-${++this.#toolsets}`),
          lifetime: this.signal,
          onJobsEnding: (gone) => void this.#jobs.push(gone),
          env: this.environment,
          clock: this.clock,
          grants: this.#grantsOf(workspace),
          onProcess: (started) => this.books.processes.add(started),
          onProcessEnd: (pid) => this.books.processes.remove(pid),
        }),
    });
  }
}

/** A tool that needs approval asks the same person as the permission rules do; nobody there is a no with a reason. */
function approver(ask: RunOptions["askPermission"]): BackendQuery["approve"] {
  return async (call, { signal, sessionId, path }) => {
    const key = `${sessionId}/${call.callId}/approval`;
    const question = toPermissionQuestion(call, "this tool wants a person's consent", { key, path });
    const answer = (await ask?.(question, signal)) ?? "nobody";
    return { approve: answer === "allow", reason: answer === "nobody" ? "Nobody is there to give consent." : undefined };
  };
}

function manifestAside(aside: string, language: Language): Event {
  const text = translator(language)("runtime.manifestAside", { path: aside });
  return makeEvent("task", text, { type: "notice", code: "manifest-aside", data: { aside } });
}
