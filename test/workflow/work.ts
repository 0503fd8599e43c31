import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { AskPayload, Event } from "../../src/messages/event.ts";
import type { RuntimeOptions } from "../../src/runtime/runtime.ts";
import type { Check } from "../../src/workbench/check.ts";
import { Step } from "../../src/workflow/step.ts";
import { type WithGoalOptions, withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { goalFile } from "./lines.ts";
import { type Cast, openStage, type Stage } from "./stage.ts";

export interface WorkOptions extends Partial<WithGoalOptions> {
  readonly checks?: readonly (string | Check)[];
  /** What a person answers, question by question; undefined declines. Without the list nobody is there. */
  readonly answers?: readonly (string | undefined)[];
  readonly step?: string;
  /** What the person says unasked is kept in a brief. */
  readonly keepsMail?: boolean;
  readonly runtime?: RuntimeOptions;
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
  const { checks = ["it says hello"], answers, step = "work", keepsMail, runtime, folder = newFolder(), ...goalOptions } = options;
  const goalPath = join(folder, "goal.md");
  await writeFile(goalPath, goalFile(...checks));
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
  const work = withGoal(new Step(step, { agent: worker(), prompt: "say hello" }), channel, { goalPath, ...goalOptions });
  const stage = openStage(cast, { language: options.language, ...runtime }, folder);
  const workflow = new Workflow([work], { channel });
  return { stage, workflow, channel, goalPath, questions, run: () => stage.run(workflow) };
}

/** The worker's reports, as many as there are rounds. */
export function reports(count: number): readonly ScriptedStep[] {
  return Array.from({ length: count }, (_, index) => `report ${index + 1}`);
}
