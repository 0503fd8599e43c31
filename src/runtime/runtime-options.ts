import type { Backend, BackendQuery } from "../backends/backend.ts";
import { checkOptions, type OptionKinds } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import type { Engine } from "../engines/engine.ts";
import type { PermissionGuardOptions } from "../guards/permission.ts";
import type { Language } from "../i18n/catalogue.ts";
import type { EventSink } from "../messages/event.ts";
import type { StepLabel } from "../messages/label.ts";
import type { Environment } from "../tools/builtin/environment.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { BudgetLedger, BudgetLimits } from "./budget.ts";
import type { ContextHandoffOptions } from "./context-handoff.ts";
import type { Resilience } from "./resilience.ts";

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

/** Throws `bad-config` for an unknown option and for one that cannot hold its value. */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  checkOptions("Runtime", options, RUNTIME_OPTIONS);
}

export interface RunOptions {
  /** For events and the manifest. Default: the agent's name. */
  readonly label?: StepLabel;
  /** An absolute folder to work in instead of the Runtime's: a copy of it. What is outside it is outside the workspace. */
  readonly workspace?: string;
  readonly stepName?: string;
  /** Go on in this session, if it still exists. */
  readonly resume?: string;
  /** The session in `resume` has left its handoff document: a fresh one takes over from it, as long as the document is there. */
  readonly handedOver?: boolean;
  /** Begin as a copy of this session. */
  readonly fork?: BackendQuery["fork"];
  readonly onEvent?: EventSink;
  /** Told the session before anything is sent, so that another process can resume it, and again once the prompt is part of it. */
  readonly onSession?: (sessionId: string, hasPrompt: boolean) => void | Promise<void>;
  /** Told when a session has left its handoff document to another that has not begun, so that another process can begin it. */
  readonly onHandedOver?: () => void | Promise<void>;
  /** Told what a person said at interrupts and the session does not hold yet, whenever that changes, so that another process can say it. */
  readonly onUnheard?: (words: readonly string[]) => void | Promise<void>;
  readonly signal?: AbortSignal;
  /** False: a person's words at an interrupt are not for this run (a judge); they wait for the next that takes them. */
  readonly takesWords?: boolean;
  /** Limits within the run's, and what counts against them: shared by all runs that are given the same. */
  readonly ledger?: BudgetLedger;
  readonly promptFrom?: "person" | "framework";
  /** Says once that mail waits. */
  readonly notice?: () => string | undefined;
  /** The step's whole task, when `prompt` is only the latest of it (a rejection, a restart): for a session that takes over. */
  readonly task?: () => string | Promise<string>;
  /** Asks a person about a call that is not allowed by itself. Without it such calls are denied. */
  readonly askPermission?: PermissionGuardOptions["ask"];
}
