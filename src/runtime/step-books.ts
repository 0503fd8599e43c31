import type { Agent } from "../agents/agent.ts";
import { isWithinIterations, withIterationsLeft } from "../agents/iterations-left.ts";
import { toInstant } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Event } from "../messages/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../messages/usage.ts";
import type { AttemptHost, Job } from "./attempt-host.ts";
import type { BudgetLedger } from "./budget.ts";
import { BudgetWatch } from "./budget-watch.ts";
import type { TakeOver } from "./hand-over.ts";
import type { StepResult } from "./step-result.ts";
import { CONTINUE_PROMPT, promptWithWords } from "./words.ts";

const KEPT_CALLS = 12;

/** One step's session, prompt and running figures. */
export class StepBooks {
  readonly label: string;
  readonly errors: string[] = [];
  readonly watch: BudgetWatch;
  sessionId: string = newId();
  prompt: string;
  promptFrom: "person" | "framework";
  /** The session holds the prompt; a failure from here on is resumed, not started again. */
  started = false;
  attempts = 1;
  /** Attempts since the model last replied, this one included: a night has more failures than are allowed in a row. */
  attemptsInRow = 1;
  /** Of the main thread, since its count of iterations began. */
  #replies = 0;
  usage: Usage = NO_USAGE;
  text = "";
  /** The last tool calls of the main thread, oldest first. */
  readonly calls: string[] = [];
  /** As long as the session that takes over has not begun. */
  #takeOver: TakeOver | undefined;
  readonly #retired: string[] = [];
  /** What the person said to this step. */
  readonly #said: string[] = [];
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
      shared: job.ledger,
      language: host.language,
      publish: (event) => host.publish(event),
    });
    this.prompt = promptWithWords(job.prompt, this.hear());
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
    this.#host.contextHandoff?.resumed();
  }

  /** The person's words that wait, oldest first; they are given once. */
  hear(): readonly string[] {
    const words = this.#host.words.take();
    this.#said.push(...words);
    return words;
  }

  /** All that the person said to this step. */
  get said(): readonly string[] {
    return this.#said;
  }

  begun(): void {
    this.started = true;
    this.#promptKept = true;
    this.#takeOver = undefined;
  }

  /** The next prompt in the same session. A prompt that never got there goes along. */
  continueWith(prompt: string, from: "person" | "framework"): void {
    this.prompt = this.#promptKept ? prompt : `${this.prompt}\n\n${prompt}`;
    this.promptFrom = from;
    this.#promptKept = false;
    this.#takeOver = undefined;
  }

  /** A fresh session takes over from this one, or from one of an earlier process. Until it has begun its prompt is made anew for each try. */
  succeedWith(takeOver: TakeOver, from = this.sessionId): void {
    this.#retired.push(from);
    this.sessionId = newId();
    this.#takeOver = takeOver;
    this.promptFrom = "framework";
    this.started = false;
    this.#promptKept = false;
    this.#unheard.length = 0;
  }

  retry(): void {
    this.attempts++;
    this.attemptsInRow++;
    this.goOn(CONTINUE_PROMPT);
  }

  /** Goes on after a stop that was nobody's words; a prompt that never got there is given again. */
  goOn(prompt: string): void {
    if (this.#promptKept) this.continueWith(prompt, "framework");
  }

  /** What the session is given with the next query. */
  async promptNow(): Promise<string> {
    if (this.#takeOver) this.prompt = await this.#takeOver();
    return this.prompt;
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

  /**
   * Usage comes with the last block of each reply, so that limits see it at once; the query's `result` has the final figure. Gives
   * the main thread's context level when this event carries it.
   */
  note(event: Event): number | undefined {
    if (event.kind === "result") {
      this.#iterations += event.payload.numIterations;
      if (event.payload.usage) this.#spend(event.payload.usage);
      return undefined;
    }
    if (event.kind !== "text" && event.kind !== "thinking" && event.kind !== "tool_call") return undefined;
    const { usage, context, subagent } = event.payload;
    const isMain = subagent === undefined;
    if (isMain && event.kind === "tool_call") this.#noteCall(event);
    if (usage) {
      if (isMain) this.#noteReply();
      if (isWithinIterations(this.#job.agent, this.#replies)) this.attemptsInRow = 1;
      this.#spend(addUsage(this.#inQuery, usage));
    }
    if (!isMain || context === undefined) return undefined;
    this.#context = Math.max(this.#context, context);
    return context;
  }

  #noteReply(): void {
    this.#replies++;
    this.#unheard.length = 0;
  }

  /** The step's agent with what is left of its iterations. */
  agentNow(): Agent {
    return withIterationsLeft(this.#job.agent, this.#replies);
  }

  /** After anything but a failure the agent has all of its iterations again. */
  beginIterations(): void {
    this.#replies = 0;
  }

  #noteCall(event: Event): void {
    this.calls.push(event.text === "" ? event.tool : `${event.tool}: ${event.text}`);
    if (this.calls.length > KEPT_CALLS) this.calls.shift();
  }

  closeQuery(): void {
    this.#account = undefined;
    this.#inQuery = NO_USAGE;
    this.watch.calls.close();
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
      retired: [...this.#retired],
      context: this.#context,
    });
  }
}
