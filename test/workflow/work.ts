import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "../../src/agents/agent.ts";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { AskPayload, Event } from "../../src/messages/event.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import type { Check } from "../../src/workbench/check.ts";
import { goalStep } from "../../src/workflow/goal.ts";
import { Step } from "../../src/workflow/step.ts";
import { type WithGoalOptions, withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { goal, goalFile, handIn, toChecks } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

export interface WorkOptions extends Partial<WithGoalOptions> {
  readonly checks?: readonly (string | Check)[];
  /** What a person answers, question by question; undefined declines. Without the list nobody is there. */
  readonly answers?: readonly (string | undefined)[];
  readonly step?: string;
  /** A goal-setter hands the goal in first, so that it is known that no person wrote it. */
  readonly isHandedIn?: boolean;
  /** What the person says unasked is kept in a brief. */
  readonly keepsMail?: boolean;
  readonly runtime?: RuntimeOptions;
  /** Who does the work. Default: an agent without tools. */
  readonly workAgent?: Agent;
  /** The workspace. Default: an empty folder. */
  readonly folder?: string;
}

/** A judged work step over a frozen goal. */
export interface Work {
  readonly stage: Stage;
  readonly workflow: Workflow;
  readonly channel: HumanChannel;
  readonly goalPath: string;
  /** The questions that were put to the person. */
  readonly questions: { readonly text: string; readonly payload: Extract<AskPayload, { kind: "question" }> }[];
  run(): ReturnType<Stage["run"]>;
}

export async function openWork(cast: Cast, options: WorkOptions = {}): Promise<Work> {
  const {
    checks = ["it says hello"],
    answers,
    step = "work",
    isHandedIn = false,
    keepsMail,
    runtime,
    folder = newFolder(),
    workAgent = worker(),
    ...goalOptions
  } = options;
  const goalPath = join(folder, "goal.md");
  if (!isHandedIn) await writeFile(goalPath, goalFile(...checks));
  const amendPath = keepsMail ? join(folder, "brief.md") : undefined;
  const channel = new HumanChannel({ timeoutMs: answers ? null : 0, language: options.language, amendPath });
  const questions: Work["questions"] = [];
  channel.onEvent = (event: Event) => {
    if (event.kind !== "ask" || event.payload.kind !== "question") return;
    if (event.payload.state === "asked" || !answers) questions.push({ text: event.text, payload: event.payload });
    if (event.payload.state !== "asked") return;
    const answer = answers?.[questions.length - 1];
    if (answer === undefined) channel.decline(event.payload.id);
    else channel.answer(event.payload.id, answer);
  };
  const work = withGoal(new Step(step, { agent: workAgent, prompt: "say hello" }), channel, { goalPath, ...goalOptions });
  const setter = handIn(goal(toChecks(checks)));
  const whole = isHandedIn ? { ...cast, goalSetter: [...setter, ...(cast.goalSetter ?? [])] } : cast;
  const stage = openStage(whole, { language: options.language, ...runtime }, folder);
  const workflow = new Workflow(isHandedIn ? [goalStep(channel, { goalPath, language: options.language }), work] : [work], { channel });
  return { stage, workflow, channel, goalPath, questions, run: () => stage.run(workflow) };
}

/** The worker's reports, as many as there are rounds. */
export function reports(count: number): readonly ScriptedStep[] {
  return Array.from({ length: count }, (_, index) => `report ${index + 1}`);
}
