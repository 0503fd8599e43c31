import { isAbsolute, relative } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { readText, replaceFile } from "../core/files.ts";
import type { HumanChannel } from "../human/channel.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import { goalSetter, type RoleOptions } from "../runtime/roles.ts";
import { type Check, checkProblems } from "../workbench/check.ts";
import { type Goal, goalToMarkdown, makeGoal, parseGoal } from "../workbench/goal-document.ts";
import { type Ctx, GOAL_KEY, goalOf, runtimeOf, scopeOf } from "./ctx.ts";
import { documentTool, HandedIn } from "./document-tools.ts";
import { Step } from "./step.ts";

export interface GoalOptions {
  /** Where the goal is frozen. */
  readonly goalPath: string;
  /** The `ctx` key that holds the brief's Markdown. Default: the catalogue's name of the clarify step. */
  readonly briefKey?: string;
  /** Where the brief lies; the goal-setter is told to read it. */
  readonly briefPath?: string;
  readonly name?: string;
  readonly language?: Language;
  readonly agent?: Agent;
  readonly instructions?: string;
  /** Set it again even when a complete goal exists. */
  readonly alwaysSet?: boolean | ((ctx: Ctx) => boolean);
  readonly onFail?: "stop" | "skip" | "continue";
  /** Re-asks when no complete goal was handed in. Default 1. */
  readonly retries?: number;
  /** Let the goal-setter run commands to look around. */
  readonly canRun?: boolean;
  readonly role?: RoleOptions;
}

const GOAL_SCHEMA = {
  type: "object",
  properties: {
    statement: { type: "string", description: "The goal in one or two sentences." },
    checks: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          text: { type: "string", description: "Run this, see that; or look there, find that." },
          command: { type: "string", description: "One line of bash that shows it, run in the workspace by the runtime." },
          expect: {
            type: "object",
            properties: {
              exit: { type: "integer", description: "Default 0." },
              stdoutContains: { type: "array", items: { type: "string" } },
              stdoutMatches: { type: "string", description: "A regular expression, /source/flags." },
              creates: { type: "array", items: { type: "string" }, description: "Paths that must be there afterwards." },
            },
            additionalProperties: false,
          },
          unverifiableReason: { type: "string", description: "Only if it cannot be verified in this environment: why." },
        },
        required: ["text"],
        additionalProperties: false,
      },
    },
  },
  required: ["statement", "checks"],
  additionalProperties: false,
} as const;

/**
 * Turns the brief into a goal with a checklist that can be judged, and freezes it. A complete goal file skips the step.
 * `ctx[step.name]` is the goal's Markdown, `goalOf(ctx)` the goal. Items that cannot be verified here are told at once,
 * before any work is paid for; they warn and do not block.
 */
export function goalStep(channel: HumanChannel, options: GoalOptions): Step {
  const language = options.language ?? "en";
  const t = translator(language);
  const name = options.name ?? t("step.goal");
  const goals = new HandedIn<Goal>();
  const handIn = goalTool(goals);
  const tools = [...channel.tools, handIn];
  const agent =
    options.agent?.with({ tools: [...options.agent.tools, handIn] }) ??
    goalSetter({ ...options.role, instructions: options.instructions, tools, canRun: options.canRun });

  return new Step(name, {
    agent,
    prompt: (ctx) => goalPrompt(String(ctx[options.briefKey ?? t("step.clarify")] ?? ""), options.briefPath, ctx),
    retries: options.retries ?? 1,
    onFail: options.onFail,
    async when(ctx) {
      const found = parseGoal((await readText(options.goalPath)) ?? "");
      if (found.complete) fillCtx(ctx, name, found, language);
      const always = typeof options.alwaysSet === "function" ? options.alwaysSet(ctx) : options.alwaysSet;
      return always === true || !found.complete;
    },
    async gate(result, ctx) {
      const handedIn = goals.take(result.sessionId) ?? completeGoal(result.text);
      if (!handedIn) return false;
      await replaceFile(options.goalPath, goalToMarkdown(handedIn, language));
      fillCtx(ctx, name, handedIn, language);
      announce(handedIn, options.goalPath, t, ctx);
      return true;
    },
    onReject: () => "The goal has not been handed in. Call the goal tool now, with a statement and at least one check.",
    reduce: (_result, ctx) => ctx[name],
  });
}

function goalPrompt(brief: string, briefPath: string | undefined, ctx: Ctx): string {
  const where =
    briefPath === undefined
      ? []
      : [`The brief lies at ${briefPath}; read it there: what the person said later stands at its end and counts.`];
  const old = goalOf(ctx);
  const added = scopeOf(ctx)?.amendment;
  const amend = old ? [...(added === undefined ? [] : [`The person added:\n\n${added}`]), amendPrompt(old)] : [];
  return ["Set the goal for this brief.", brief, ...where, ...amend].join("\n\n");
}

function amendPrompt(old: Goal): string {
  return `There is a goal already; amend it: keep what still holds, change or add what is new.\n\n${goalToMarkdown(old, "en")}`;
}

export interface RederiveInput {
  readonly goal: Goal;
  /** What a person said. */
  readonly words: string;
  /** They said what the goal should be: their words then stand in the goal, whatever the goal-setter makes of them. */
  readonly isNewGoal: boolean;
  readonly goalPath: string;
  readonly language: Language;
  readonly ctx: Ctx;
  readonly role?: RoleOptions;
}

/** Has the goal-setter amend the goal by a person's words ("no change" is a valid answer), and freezes the outcome. */
export async function rederiveGoal(input: RederiveInput): Promise<Goal> {
  const { ctx, goal, language, words } = input;
  const scope = scopeOf(ctx);
  const goals = new HandedIn<Goal>();
  const agent = goalSetter({ ...input.role, tools: [goalTool(goals)] });
  const said = input.isNewGoal ? "The person changed the goal" : "Since the goal was set, the person said";
  const prompt = `${said}:\n\n${words}\n\n${amendPrompt(goal)}`;
  const label = { step: translator(language)("step.goal"), round: scope?.round };
  const result = await runtimeOf(ctx)?.run(agent, prompt, { label, signal: scope?.signal, onEvent: scope?.onEvent, takesWords: false });
  const handedIn = result && goals.take(result.sessionId);
  const changed = input.isNewGoal ? withWords(handedIn, goal, words, language) : (handedIn ?? goal);
  await replaceFile(input.goalPath, goalToMarkdown(changed, language));
  return changed;
}

/** The person's words stand in the statement, so that one sees what changed; without a usable list they are a check themselves. */
function withWords(handedIn: Goal | undefined, old: Goal, words: string, language: Language): Goal {
  const base = handedIn ?? makeGoal(old.statement, [...old.checks, { text: words }]);
  return makeGoal(`${base.statement}\n\n${translator(language)("goal.changed", { words })}`, base.checks);
}

function goalTool(into: HandedIn<Goal>) {
  return documentTool<Goal>({
    name: "goal",
    description: "Hands in the goal: a statement and the checks by which somebody else decides whether it is reached.",
    parameters: GOAL_SCHEMA,
    read: readGoal,
    into,
  });
}

function readGoal(args: unknown): Goal | readonly string[] {
  const { statement, checks } = args as { readonly statement: string; readonly checks: readonly Check[] };
  const problems = checks.flatMap((check, index) => checkProblems(check).map((problem) => `check ${index + 1}: ${problem}`));
  if (statement.trim() === "") problems.push('"statement" is empty');
  return problems.length > 0 ? problems : makeGoal(statement, checks);
}

function completeGoal(text: string): Goal | undefined {
  const goal = parseGoal(text);
  return goal.complete ? goal : undefined;
}

function fillCtx(ctx: Ctx, name: string, goal: Goal, language: Language): void {
  ctx[GOAL_KEY] = goal;
  ctx[name] = goalToMarkdown(goal, language);
}

function announce(goal: Goal, path: string, t: Translate, ctx: Ctx): void {
  const unverifiable = goal.unverifiable.map((check) => check.text);
  const total = goal.checks.length;
  const list = goal.checks.map((check, index) => `${index + 1}. ${check.text}`);
  const marked = goal.unverifiable.map(
    (check) => `      · ${check.text} ${t("goal.unverifiableMark", { reason: check.unverifiableReason ?? "" })}`,
  );
  const warning = [t("goal.unverifiableWarning", { count: unverifiable.length, total, path: shown(path, ctx) }), ...marked];
  const text = (unverifiable.length === 0 ? list : warning).join("\n");
  scopeOf(ctx)?.emit(makeEvent("task", text, { type: "goal", path, total, unverifiable }));
}

/** A path as a person would type it: from the workspace when it lies there. */
function shown(path: string, ctx: Ctx): string {
  const workspace = runtimeOf(ctx)?.workbench.workspace;
  if (workspace === undefined) return path;
  const short = relative(workspace, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}
