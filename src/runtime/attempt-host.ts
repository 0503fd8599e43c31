import type { Agent } from "../agents/agent.ts";
import type { Backend, BackendQuery } from "../backends/backend.ts";
import type { Clock } from "../core/clock.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { Event } from "../messages/event.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { BudgetLedger, LimitReached } from "./budget.ts";
import type { ContextHandoff } from "./context-handoff.ts";
import type { NetworkWait } from "./network-wait.ts";
import type { Resilience } from "./resilience.ts";
import type { StepResult } from "./step-result.ts";
import type { Succession } from "./successor-prompt.ts";
import type { Words } from "./words.ts";

/** What one step needs of its surroundings. */
export interface AttemptHost {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly ledger: BudgetLedger;
  readonly resilience: Resilience;
  readonly network: NetworkWait;
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
  /** How a full context is dealt with; undefined: it ends the step. */
  readonly contextHandoff?: ContextHandoff;
  /** For the document of a context handoff: the step without its round. */
  readonly handoffName: string;
  readonly workbench: Workbench;
  /** What a session that takes over is told, as things stand then. */
  succession(): Promise<Pick<Succession, "task" | "documents" | "questions">>;
  /** A session has left its document to another, which has not begun; `onSession` tells when it has. */
  onHandedOver(): void | Promise<void>;
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
  /** That session has left its document already: a fresh one takes over. */
  readonly handedOver: boolean;
  /** Limits within the run's that this one shares with others. */
  readonly ledger: BudgetLedger | undefined;
  readonly query: Pick<BackendQuery, "approve" | "fork" | "guards" | "guardsFor" | "services" | "workspace" | "deltas">;
}
