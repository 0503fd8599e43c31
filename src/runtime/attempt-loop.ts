import type { Agent } from "../agents/agent.ts";
import type { Backend, BackendOutcome, BackendQuery } from "../backends/backend.ts";
import { type Clock, sleep, toInstant } from "../core/clock.ts";
import { type FlowerError, messageOf, toFlowerError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Language } from "../i18n/catalogue.ts";
import { type Event, makeEvent } from "../messages/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../messages/usage.ts";
import type { Steering } from "../runner/between.ts";
import type { BudgetLedger, LimitReached } from "./budget.ts";
import { BudgetWatch } from "./budget-watch.ts";
import { type AttemptEnd, type Decision, decide } from "./decide.ts";
import { type Resilience, retryDelay } from "./resilience.ts";
import type { StepResult } from "./step-result.ts";
import { CONTINUE_PROMPT, interruptPrompt, promptWithWords, RAISED_PROMPT, type Words } from "./words.ts";

/** What one step needs of its surroundings. */
export interface AttemptHost {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly ledger: BudgetLedger;
  readonly resilience: Resilience;
  readonly words: Words;
  readonly signal: AbortSignal;
  readonly language: Language;
  publish(event: Event): void;
  /** A limit of the whole run is reached. True when a person has raised it; rejects when the run is aborted or parked meanwhile. */
  askToRaise(reached: LimitReached): Promise<boolean>;
  /** A person's mail waits; a text says so once. */
  notice(): string | undefined;
  /** Told the session before anything is sent, and again once the prompt is part of it. */
  onSession(sessionId: string, hasPrompt: boolean): void | Promise<void>;
  /** Gives the step's result as if it ended now with this error; called once, at the start. */
  onBooks(row: (error: string) => StepResult): void;
}

/** What is to be run. */
export interface Job {
  readonly label: string;
  readonly agent: Agent;
  readonly prompt: string;
  readonly promptFrom: "person" | "framework";
  /** A session to go on with, when the backend has it. */
  readonly resume: string | undefined;
  readonly query: Pick<BackendQuery, "approve" | "fork" | "guards" | "guardsFor" | "services" | "workspace" | "deltas">;
}

type Stop = Extract<Decision, { readonly do: "stop" }>;

/** Runs one step: attempts until `decide` says that it is over. Never throws for a failure of the work: the result says it. */
export async function runAttempts(job: Job, host: AttemptHost): Promise<StepResult> {
  const books = new StepBooks(job, host);
  host.onBooks((error) => books.result({ code: "aborted", message: error }));
  await books.findSession();
  await host.onSession(books.sessionId, false);
  for (;;) {
    const end = await attempt(job, host, books);
    const decision = decide(end, {
      attempts: books.attempts,
      maxAttempts: host.resilience.maxAttempts,
      wordsWaiting: host.words.interrupted,
      aborted: host.signal.aborted,
    });
    switch (decision.do) {
      case "finish":
        return books.result();
      case "speak":
        books.continueWith(interruptPrompt(host.words.take()), "person");
        break;
      case "hand-over":
        return books.result({ code: "context-overflow", message: "The context is full." });
      case "stop": {
        const next = decision.code === "budget" ? await afterBudget(decision, host) : decision;
        if (next.do === "stop") return books.result(next);
        books.goOn(RAISED_PROMPT);
        break;
      }
      case "retry":
        await waitForRetry((end as AttemptEnd & { kind: "failed" }).error, decision.attempt, host, books);
        if (host.signal.aborted) return books.result({ code: "aborted", message: messageOf(host.signal.reason) });
        books.retry();
        break;
      default:
        return decision satisfies never;
    }
  }
}

/** The work goes on when the run's limit was reached and a person raised it. An agent's own limit is not theirs to raise. */
async function afterBudget(stop: Stop, host: AttemptHost): Promise<Stop | { readonly do: "go-on" }> {
  const reached = host.ledger.reached();
  if (!reached) return stop;
  try {
    return (await host.askToRaise(reached)) ? { do: "go-on" } : stop;
  } catch (error) {
    const { code, message } = toFlowerError(error, host.signal.aborted ? "aborted" : "unknown");
    return { do: "stop", code, message };
  }
}

async function attempt(job: Job, host: AttemptHost, books: StepBooks): Promise<AttemptEnd> {
  const query: BackendQuery = {
    ...job.query,
    agent: job.agent,
    prompt: books.prompt,
    promptFrom: books.promptFrom,
    sessionId: books.sessionId,
    resume: books.started,
    step: job.label,
    signal: host.signal,
    steering: steering(host, books),
    recover: (error, attemptNumber) => recover(error, attemptNumber, host, books),
    onStarted: async () => {
      books.begun();
      await host.onSession(books.sessionId, true);
    },
  };
  books.openQuery();
  try {
    return { kind: "outcome", outcome: await drain(host.backend.run(query), host, books) };
  } catch (error) {
    return { kind: "failed", error: toFlowerError(error, host.signal.aborted ? "aborted" : "unknown") };
  } finally {
    books.closeQuery();
  }
}

/** A subagent's failure, by the same rules as the step's own; true when it is to be tried again now. */
async function recover(error: FlowerError, attempts: number, host: AttemptHost, books: StepBooks): Promise<boolean> {
  const state = { attempts, maxAttempts: host.resilience.maxAttempts, wordsWaiting: false, aborted: host.signal.aborted };
  const decision = decide({ kind: "failed", error }, state);
  if (decision.do !== "retry") return false;
  await waitForRetry(error, decision.attempt, host, books);
  return !host.signal.aborted;
}

async function drain(events: AsyncGenerator<Event, BackendOutcome>, host: AttemptHost, books: StepBooks): Promise<BackendOutcome> {
  for (;;) {
    const next = await events.next();
    if (next.done) {
      books.text = next.value.text;
      return next.value;
    }
    books.note(next.value);
    host.publish(next.value);
    books.watch.note(next.value, books.usage);
  }
}

function steering(host: AttemptHost, books: StepBooks): Steering {
  return {
    interrupted: () => host.words.interrupted,
    overBudget: () => books.watch.reached(),
    contextFull: () => false,
    notice: () => books.news(host.notice()),
  };
}

async function waitForRetry(error: FlowerError, attemptNumber: number, host: AttemptHost, books: StepBooks): Promise<void> {
  const delayMs = retryDelay(error, attemptNumber, host.resilience);
  books.errors.push(error.message);
  host.publish(makeEvent("retry", error.message, { step: books.label, attempt: attemptNumber, reason: error.code, delayMs }));
  await sleep(host.clock, delayMs, host.signal).catch(() => {}); // an abort is seen by the caller
}

/** One step's session, prompt and running figures. */
class StepBooks {
  readonly label: string;
  readonly errors: string[] = [];
  readonly watch: BudgetWatch;
  sessionId: string = newId();
  prompt: string;
  promptFrom: "person" | "framework";
  /** The session holds the prompt; a failure from here on is resumed, not started again. */
  started = false;
  attempts = 1;
  usage: Usage = NO_USAGE;
  text = "";
  readonly #job: Job;
  readonly #host: AttemptHost;
  readonly #startedAt: number;
  #resumed = false;
  #promptKept = false;
  #iterations = 0;
  #context = 0;
  /** News that no reply has followed yet. */
  readonly #unheard: string[] = [];
  #before: Usage = NO_USAGE;
  #account: ReturnType<BudgetLedger["open"]> | undefined;

  constructor(job: Job, host: AttemptHost) {
    this.#job = job;
    this.#host = host;
    this.label = job.label;
    this.watch = new BudgetWatch({
      ledger: host.ledger,
      maxBudgetUsd: job.agent.limits.maxBudgetUsd,
      language: host.language,
      publish: (event) => host.publish(event),
    });
    this.prompt = promptWithWords(job.prompt, host.words.take());
    this.promptFrom = job.promptFrom;
    this.#startedAt = host.clock.now();
  }

  /** Goes on with the job's session when the backend still has it; else a fresh one. */
  async findSession(): Promise<void> {
    const { resume } = this.#job;
    if (resume === undefined || !(await this.#host.backend.hasSession(resume))) return;
    this.sessionId = resume;
    this.started = true;
    this.#resumed = true;
  }

  begun(): void {
    this.started = true;
    this.#promptKept = true;
  }

  /** The next prompt in the same session. A prompt that never got there goes along. */
  continueWith(prompt: string, from: "person" | "framework"): void {
    this.prompt = this.#promptKept ? prompt : `${this.prompt}\n\n${prompt}`;
    this.promptFrom = from;
    this.#promptKept = false;
  }

  retry(): void {
    this.attempts++;
    this.goOn(CONTINUE_PROMPT);
  }

  /** Goes on after a stop that was nobody's words; a prompt that never got there is given again. */
  goOn(prompt: string): void {
    if (this.#promptKept) this.continueWith(prompt, "framework");
  }

  openQuery(): void {
    this.#before = this.usage;
    this.#account = this.#host.ledger.open();
  }

  /** What the model is to hear now: the news, and before it what it was to hear in an iteration that was lost. */
  news(text: string | undefined): string | undefined {
    if (text !== undefined) this.#unheard.push(text);
    return this.#unheard.length === 0 ? undefined : this.#unheard.join("\n\n");
  }

  /** Usage comes with the last block of each reply, so that limits see it at once; the query's `result` has the final figure. */
  note(event: Event): void {
    if (event.kind === "result") {
      this.#iterations += event.payload.numIterations;
      if (event.payload.usage) this.#spend(event.payload.usage);
      return;
    }
    if (event.kind !== "text" && event.kind !== "thinking" && event.kind !== "tool_call") return;
    const { usage, context, subagent } = event.payload;
    if (context !== undefined && subagent === undefined) this.#context = Math.max(this.#context, context);
    if (!usage) return;
    if (subagent === undefined) this.#unheard.length = 0;
    this.#spend(addUsage(this.#inQuery, usage));
  }

  closeQuery(): void {
    this.#account = undefined;
    this.#inQuery = NO_USAGE;
  }

  #inQuery: Usage = NO_USAGE;

  #spend(usage: Usage): void {
    this.#inQuery = usage;
    this.usage = addUsage(this.#before, usage);
    this.#account?.update(usage);
  }

  result(failure?: { readonly code: StepResult["errorKind"]; readonly message: string }): StepResult {
    const endedAt = this.#host.clock.now();
    return Object.freeze({
      step: this.label,
      sessionId: this.sessionId,
      ok: failure === undefined,
      costUsd: this.usage.costUsd,
      usage: this.usage,
      numIterations: this.#iterations,
      text: this.text,
      error: failure?.message ?? "",
      errorKind: failure?.code,
      startedAt: toInstant(this.#startedAt),
      endedAt: toInstant(endedAt),
      durationMs: endedAt - this.#startedAt,
      attempts: this.attempts,
      errors: this.errors,
      resumed: this.#resumed,
      retired: [],
      context: this.#context,
    });
  }
}
