import type { Agent } from "../agents/agent.ts";
import type { BackendQuery } from "../backends/backend.ts";
import type { Clock } from "../core/clock.ts";
import { readText } from "../core/files.ts";
import { toPermissionQuestion } from "../guards/permission-question.ts";
import { type Language, renderLabel } from "../i18n/catalogue.ts";
import type { Event, EventSink } from "../messages/event.ts";
import type { CallGuard } from "../tools/call.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { AttemptHost, Job } from "./attempt-host.ts";
import type { BudgetLedger } from "./budget.ts";
import { ContextHandoff } from "./context-handoff.ts";
import { DEFAULT_WINDOW } from "./context-limits.ts";
import type { Interrupts } from "./interrupts.ts";
import { NetworkWait } from "./network-wait.ts";
import type { Reachability } from "./reachability.ts";
import type { Resilience } from "./resilience.ts";
import type { RunOptions, RuntimeOptions } from "./runtime-options.ts";
import { stepGuards } from "./step-guards.ts";
import type { WorkPlaces } from "./work-places.ts";
import type { WorkbenchNews, WorkbenchNote } from "./workbench-news.ts";

/** What the steps of one run share. */
export interface StepScope {
  readonly settings: Pick<RuntimeOptions, "contextHandoff" | "services" | "spillThreshold" | "deltas">;
  readonly workbench: Workbench;
  readonly language: Language;
  readonly clock: Clock;
  readonly ledger: BudgetLedger;
  readonly resilience: Resilience;
  readonly reachability: Reachability;
  readonly news: WorkbenchNews;
  readonly places: WorkPlaces;
  readonly interrupts: Interrupts;
  publish(event: Event, sink: EventSink | undefined): void;
}

/** One step: what was asked for, and what was opened for it alone. */
export interface OpenStep extends Pick<AttemptHost, "backend" | "words" | "signal" | "onBooks"> {
  readonly agent: Agent;
  readonly prompt: string;
  readonly options: RunOptions;
}

/** What an attempt is given: what is to be run, and amid what. */
export async function wireStep(step: OpenStep, scope: StepScope): Promise<{ readonly job: Job; readonly host: AttemptHost }> {
  const label = labelOf(step, scope.language);
  const contextHandoff = await contextHandoffFor(step, label, scope);
  const note = await noteFor(step, scope.news);
  await step.words.keepWith((unheard) => step.options.onUnheard?.(unheard));
  return { job: jobFor(step, { label, contextHandoff, note }, scope), host: hostFor(step, { label, contextHandoff, note }, scope) };
}

interface Made {
  readonly label: string;
  readonly contextHandoff: ContextHandoff | undefined;
  readonly note: WorkbenchNote;
}

function jobFor({ agent, prompt, options }: OpenStep, { label, contextHandoff, note }: Made, scope: StepScope): Job {
  const { services = {}, deltas = false } = scope.settings;
  const guardsFor = (line: readonly Agent[]) => guards(line, options, scope);
  return {
    label,
    agent: contextHandoff ? agent.with({ tools: [...agent.tools, contextHandoff.desk.tool] }) : agent,
    prompt: `${note.text}${prompt}`,
    promptFrom: options.promptFrom ?? "framework",
    resume: options.resume,
    handedOver: options.handedOver ?? false,
    ledger: options.ledger,
    query: {
      approve: approver(options.askPermission),
      fork: options.fork,
      guards: [...(contextHandoff ? [contextHandoff.desk.guard] : []), ...guardsFor([agent])],
      guardsFor,
      services,
      workspace: scope.places.at(options.workspace).workspace,
      deltas,
    },
  };
}

function hostFor(step: OpenStep, { label, contextHandoff, note }: Made, scope: StepScope): AttemptHost {
  const { backend, words, signal, onBooks, options } = step;
  const { workbench, clock, ledger, resilience, reachability, language, interrupts } = scope;
  const publish = (event: Event) => scope.publish(event, options.onEvent);
  return {
    ...{ backend, words, signal, onBooks, workbench, clock, ledger, resilience, language, publish, contextHandoff },
    handoffName: options.label?.judge === undefined ? (options.label?.step ?? label) : label,
    network: new NetworkWait({ backend, words, signal, step: label, reachability, clock, resilience, language, publish }),
    succession: () => succession(step, scope),
    askToRaise: async (reached) => (await interrupts.attendant?.askToRaise(reached, signal)) ?? false,
    notice: options.notice ?? (() => undefined),
    onSession(sessionId, hasPrompt) {
      if (hasPrompt) note.told(sessionId);
      return options.onSession?.(sessionId, hasPrompt);
    },
    onHandedOver: () => options.onHandedOver?.(),
  };
}

function labelOf({ agent, options: { label, stepName } }: OpenStep, language: Language): string {
  return label ? renderLabel(label, language) : (stepName ?? agent.name);
}

async function contextHandoffFor({ agent, backend }: OpenStep, step: string, scope: StepScope): Promise<ContextHandoff | undefined> {
  const setting = scope.settings.contextHandoff ?? {};
  if (setting === false) return undefined;
  const window = setting.window ?? (await backend.window?.(agent)) ?? DEFAULT_WINDOW;
  return new ContextHandoff({ ...setting, step, window, language: scope.language });
}

async function noteFor({ agent, backend, options: { resume, fork } }: OpenStep, news: WorkbenchNews): Promise<WorkbenchNote> {
  return news.noteFor(agent, resume !== undefined && (await backend.hasSession(resume)) ? resume : fork?.from);
}

/** For the last of a line of agents, each started by the one before. */
function guards(line: readonly Agent[], { workspace, askPermission }: RunOptions, scope: StepScope): readonly CallGuard[] {
  const place = { ...scope.places.at(workspace), spillThreshold: scope.settings.spillThreshold, ask: askPermission };
  return stepGuards(line.at(-1) as Agent, place, line.slice(0, -1)); // a line has at least the step's own agent
}

/** What a session that takes over is told: documents as they stand now, edits of a person included. */
async function succession({ prompt, options }: OpenStep, { workbench, interrupts }: StepScope) {
  const paths = [workbench.briefPath(), workbench.goalPath()];
  const documents = await Promise.all(paths.map(async (path) => ({ path, text: (await readText(path)) ?? "" })));
  return { task: (await options.task?.()) ?? prompt, documents, questions: interrupts.attendant?.openQuestions() ?? [] };
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
