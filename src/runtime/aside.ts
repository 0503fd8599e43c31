import { join } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { Backend } from "../backends/backend.ts";
import { type ErrorCode, FlowerError, toFlowerError } from "../core/errors.ts";
import type { EventSink } from "../messages/event.ts";
import { type OracleMaterial, oraclePrompt } from "./oracle-prompt.ts";
import { oracle } from "./roles.ts";
import type { RunOptions, RuntimeOptions } from "./runtime-options.ts";
import type { StepResult } from "./step-result.ts";
import type { WorkPlace } from "./work-places.ts";

export interface OracleOptions {
  readonly signal?: AbortSignal;
  /** Gets the oracle's own events, which are no part of the run's. */
  readonly onEvent?: EventSink;
}

/** What came of a side question. A failure is an answer with `ok: false`; the run does not notice. */
export interface OracleAnswer {
  readonly ok: boolean;
  /** The answer; of one that was stopped at its limit, what it had so far. */
  readonly text: string;
  /** US dollars, no part of the run's; undefined when a price is unknown. */
  readonly costUsd: number | undefined;
  /** English, for logs; "" when ok. */
  readonly error: string;
  readonly errorKind: ErrorCode | undefined;
}

/** What runs side questions: a Runtime with books of its own. */
export interface AsideRuntime {
  run(agent: Agent, prompt: string, options: RunOptions): Promise<StepResult>;
  close(): Promise<void>;
}

export interface AsideHost {
  /** Made at the first question. */
  open(): AsideRuntime;
  material(): Promise<OracleMaterial>;
  /** With whose engine and model the oracle speaks. */
  voice(): Pick<Agent, "engine" | "model">;
}

/** Side questions about a run: any number at a time, apart from it in cost, sessions and books, and unheard by its agents. */
export class Aside {
  readonly #host: AsideHost;
  #runtime: AsideRuntime | undefined;
  #isClosed = false;
  #asked = 0;

  constructor(host: AsideHost) {
    this.#host = host;
  }

  /** Throws `bad-input` for an empty question; every other failure is in the answer. */
  async ask(question: string, options: OracleOptions): Promise<OracleAnswer> {
    if (question.trim() === "") throw new FlowerError("bad-input", "The question to the oracle is empty.");
    try {
      const prompt = await oraclePrompt(question.trim(), await this.#host.material());
      if (this.#isClosed) throw new FlowerError("aborted", "The Runtime was closed.");
      this.#runtime ??= this.#host.open();
      const { engine, model } = this.#host.voice();
      const { signal, onEvent } = options;
      const stepName = `oracle#${++this.#asked}`; // books tell steps apart by name and instant
      return toAnswer(await this.#runtime.run(oracle({ engine, model }), prompt, { stepName, signal, onEvent }));
    } catch (error) {
      const { code, message } = toFlowerError(error, options.signal?.aborted ? "aborted" : "unknown");
      return { ok: false, text: "", costUsd: 0, error: message, errorKind: code };
    }
  }

  /** Aborts the questions that are open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#runtime?.close();
  }
}

/** At its limit of iterations the oracle has answered with what it had. */
function toAnswer({ ok, text, costUsd, error, errorKind }: StepResult): OracleAnswer {
  const answered = ok || (errorKind === "iteration-limit" && text.trim() !== "");
  return { ok: answered, text, costUsd, error: answered ? "" : error, errorKind: answered ? undefined : errorKind };
}

/** Of a Runtime for side questions: the same place and engine, books and budget of its own. */
export function asideOptions(options: RuntimeOptions, place: Pick<WorkPlace, "workspace" | "runDir" | "workbench">): RuntimeOptions {
  const { budget: _runs, backend, resilience, ...same } = options;
  return {
    ...same,
    workspace: place.workspace,
    workbench: place.workbench,
    runDir: join(place.runDir, "aside"),
    contextHandoff: false,
    ...(backend ? { backend: lend(backend) } : {}),
    resilience: { ...resilience, offlineLimitMs: 0 }, // an answer now or none
  };
}

/** The same backend for somebody who may not close it. */
function lend(backend: Backend): Backend {
  return {
    name: backend.name,
    run: (query) => backend.run(query),
    hasSession: (sessionId) => backend.hasSession(sessionId),
    close: async () => {},
  };
}
