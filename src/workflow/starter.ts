import { resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { Engine } from "../engines/engine.ts";
import { HumanChannel } from "../human/channel.ts";
import { ASK_TOOL_NAME } from "../human/tools.ts";
import { type Language, translator } from "../i18n/catalogue.ts";
import { coordinator, type RoleOptions, worker } from "../runtime/roles.ts";
import type { Tool } from "../tools/tool.ts";
import { Workbench } from "../workbench/workbench.ts";
import { clarifyStep } from "./clarify.ts";
import { type Ctx, requestOf } from "./ctx.ts";
import { goalStep } from "./goal.ts";
import { saidSoFar } from "./said-words.ts";
import { Step } from "./step.ts";
import { withGoal } from "./with-goal.ts";
import { Workflow } from "./workflow.ts";

export interface StarterOptions {
  /** Default: the current folder. */
  readonly workspace?: string;
  /** Stop after the brief. */
  readonly clarifyOnly?: boolean;
  /** Set a goal and have every round judged. Default true. */
  readonly goal?: boolean;
  /** All rounds of work. Default 3. */
  readonly rounds?: number;
  readonly judgeCanRun?: boolean;
  /** Let the runtime run the checks' commands. Default true. */
  readonly runChecks?: boolean;
  /** Questions the model may ask; undefined = any number. */
  readonly maxAsks?: number;
  /** How long a question waits, in milliseconds; null for ever, ≤ 0 not at all. Default 1,800,000. */
  readonly timeoutMs?: number | null;
  /** When nobody makes a decision that only a person can make, keep the run's state and end as `parked`. Default false. */
  readonly park?: boolean;
  /** Appended to every role's rules. */
  readonly instructions?: string;
  /**
   * Let a coordinator split the work and hand it to workers, several at a time. For work of many parts: each worker begins with an empty
   * context, and what it learns ends with it. Default false: one worker does it all.
   */
  readonly coordinate?: boolean;
  /** Tools of the worker beside its own, e.g. those of an MCP server. */
  readonly tools?: readonly Tool[];
  /** What the worker is told beside brief and goal. */
  readonly workerPrompt?: string;
  /** Put an earlier run into the archive and begin anew. */
  readonly fresh?: boolean;
  readonly language?: Language;
  readonly model?: string;
  readonly engine?: Engine;
}

/** A workflow whose channel and workbench are there. */
export type StarterWorkflow = Workflow & { readonly channel: HumanChannel; readonly workbench: Workbench };

/**
 * The whole chain: clarify → goal → work, judged every round, with a person reachable throughout. Without a request it goes
 * on with what was asked before in this folder. Run it with a Runtime that has the workflow's workbench.
 */
export function starterFlow(request: string | undefined, options: StarterOptions = {}): StarterWorkflow {
  const language = options.language ?? "en";
  const t = translator(language);
  const workbench = new Workbench(resolve(options.workspace ?? "."), { language }).ensure();
  const briefPath = workbench.briefPath();
  const goalPath = workbench.goalPath();
  const channel = new HumanChannel({
    maxAsks: options.maxAsks,
    timeoutMs: options.timeoutMs,
    park: options.park,
    logPath: workbench.questionsPath(),
    amendPath: briefPath,
    language,
  });
  const role: RoleOptions = { model: options.model, engine: options.engine };
  const shared = { language, instructions: options.instructions, role };

  const clarify = clarifyStep(channel, { ...shared, briefPath, prompt: clarifyPrompt });
  const goal = goalStep(channel, {
    ...shared,
    goalPath,
    briefPath,
    canRun: options.judgeCanRun,
  });
  const work = new Step(t("step.work"), {
    agent: workingAgent({ ...role, instructions: options.instructions }, channel, options),
    prompt: async (ctx) => {
      const said = await saidSoFar(channel);
      return workPrompt(ctx, { clarify: clarify.name, goal: goal.name, briefPath, goalPath, said, extra: options.workerPrompt });
    },
  });
  const judged = { ...shared, goalPath, rounds: options.rounds, canRun: options.judgeCanRun, runChecks: options.runChecks };
  const steps = options.goal === false ? [clarify, work] : [clarify, goal, withGoal(work, channel, judged)];
  const wanted = options.clarifyOnly ? [clarify] : steps;
  return new Workflow(wanted, { name: "go", channel, workbench, request, fresh: options.fresh, needsRequest: true }) as StarterWorkflow; // both were just given
}

/** A coordinator's workers may ask the person; mail is the coordinator's to read and to hand on. */
function workingAgent(role: RoleOptions, channel: HumanChannel, { coordinate = false, tools = [] }: StarterOptions): Agent {
  if (!coordinate) return worker({ ...role, tools: [...channel.tools, ...tools] });
  const asking = channel.tools.filter((item) => item.name === ASK_TOOL_NAME);
  return coordinator({ ...role, tools: channel.tools, subagents: [worker({ ...role, tools: [...asking, ...tools] })] });
}

function clarifyPrompt(ctx: Ctx): string {
  return `The person's request:\n\n${requestOf(ctx)}\n\nClarify it and hand in the brief.`;
}

interface WorkPaths {
  readonly clarify: string;
  readonly goal: string;
  readonly briefPath: string;
  readonly goalPath: string;
  /** What the person has said since the brief was begun. */
  readonly said: readonly string[];
  readonly extra: string | undefined;
}

function workPrompt(ctx: Ctx, paths: WorkPaths): string {
  const goal = ctx[paths.goal];
  return [
    "Do this.",
    String(ctx[paths.clarify] ?? ""),
    ...(goal === undefined ? [] : [String(goal), `The goal lies at ${paths.goalPath}; an independent judge checks it item by item.`]),
    ...(paths.said.length === 0 ? [] : [`Since the brief was begun the person said:\n\n${paths.said.join("\n\n")}`]),
    `The brief lies at ${paths.briefPath}; what the person says later is added at its end and counts.`,
    ...(paths.extra === undefined ? [] : [paths.extra]),
  ].join("\n\n");
}
