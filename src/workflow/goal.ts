import { isAbsolute, relative } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { readText } from "../core/files.ts";
import { splitAmendments } from "../human/amendments.ts";
import type { HumanChannel } from "../human/channel.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import { goalSetter, type RoleOptions } from "../runtime/roles.ts";
import type { Check } from "../workbench/check.ts";
import { type Goal, goalToMarkdown, parseGoal } from "../workbench/goal-document.ts";
import { type Ctx, GOAL_KEY, goalOf, REJECTION_KEY, runtimeOf, scopeOf } from "./ctx.ts";
import { HandedIn } from "./document-tools.ts";
import { freezeHandedIn, personalChecks } from "./freeze-goal.ts";
import { checkSeal } from "./goal-seal.ts";
import { goalTool } from "./goal-tool.ts";
import { keepReplaced, unfinishedDocument, unfinishedNote } from "./keep-replaced.ts";
import { amendPrompt } from "./rederive-goal.ts";
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
  /** Set it again, from the start, even when a complete goal exists. Default: it is amended when the person has added something. */
  readonly alwaysSet?: boolean | ((ctx: Ctx) => boolean);
  readonly onFail?: "stop" | "skip" | "continue";
  /** Re-asks when no complete goal was handed in. Default 1. */
  readonly retries?: number;
  /** Let the goal-setter run commands to look around. */
  readonly canRun?: boolean;
  readonly role?: RoleOptions;
}

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
    async prompt(ctx) {
      const said = await saidSince(options.briefPath, scopeOf(ctx)?.amendment);
      const asked = goalPrompt(String(ctx[options.briefKey ?? t("step.clarify")] ?? ""), options.briefPath, said, ctx);
      return asked + unfinishedNote(options.goalPath, await unfinishedDocument(options.goalPath, isCompleteGoal));
    },
    retries: options.retries ?? 1,
    onFail: options.onFail,
    async when(ctx) {
      const scope = scopeOf(ctx);
      if (scope) await checkSeal(options.goalPath, scope, channel, t); // what cut-short work made of it is no goal to go on from
      const found = parseGoal((await readText(options.goalPath)) ?? "");
      if (found.complete) {
        fillCtx(ctx, name, found, language);
        tellProblems(found, options.goalPath, t, ctx);
      }
      return !found.complete || isWantedAgain(options, ctx);
    },
    async gate(result, ctx) {
      const handedIn = goals.take(result.sessionId) ?? completeGoal(result.text);
      if (!handedIn) {
        ctx[REJECTION_KEY] = t("goal.noGoal");
        return false;
      }
      await keepReplaced(options.goalPath, await unfinishedDocument(options.goalPath, isCompleteGoal), language, ctx);
      const frozen = { path: options.goalPath, language, heardUntil: result.startedAt };
      const goal = await freezeHandedIn(handedIn, theirChecks(ctx), scopeOf(ctx), frozen);
      fillCtx(ctx, name, goal, language);
      announce(goal, options.goalPath, t, ctx);
      return true;
    },
    onReject: () => "The goal has not been handed in. Call the goal tool now, with a statement and at least one check.",
    reduce: (_result, ctx) => ctx[name],
  });
}

/** What the person added to the brief, beside the words that this start begins with. */
async function saidSince(briefPath: string | undefined, amendment: string | undefined): Promise<readonly string[]> {
  const text = briefPath === undefined ? undefined : await readText(briefPath);
  const { amendments } = splitAmendments(text ?? "");
  return amendments.map((added) => added.text).filter((words) => !amendment?.includes(words));
}

function goalPrompt(brief: string, briefPath: string | undefined, said: readonly string[], ctx: Ctx): string {
  const where =
    briefPath === undefined
      ? []
      : [`The brief lies at ${briefPath}; read it there: what the person said later stands at its end and counts.`];
  const old = goalOf(ctx);
  const added = scopeOf(ctx)?.amendment;
  const amend = old ? [...(added === undefined ? [] : [`The person added:\n\n${added}`]), amendPrompt(old, theirChecks(ctx))] : [];
  const since = said.length === 0 ? [] : [`Since the brief was begun the person said:\n\n${said.join("\n\n")}`];
  return ["Set the goal for this brief.", brief, ...where, ...since, ...amend].join("\n\n");
}

function isWantedAgain({ alwaysSet }: GoalOptions, ctx: Ctx): boolean {
  if (typeof alwaysSet === "function") return alwaysSet(ctx);
  return alwaysSet ?? scopeOf(ctx)?.amendment !== undefined;
}

/** What the person wrote into the goal stays when it is amended by what they added, not when a program has it set from the start. */
function theirChecks(ctx: Ctx): readonly Check[] {
  const old = goalOf(ctx);
  const scope = scopeOf(ctx);
  return old && scope?.amendment !== undefined ? personalChecks(old, scope) : [];
}

function isCompleteGoal(text: string): boolean {
  return parseGoal(text).complete;
}

/** Lines that a person wrote by hand and that could not be understood: told, not guessed. */
function tellProblems(goal: Goal, path: string, t: Translate, ctx: Ctx): void {
  if (goal.problems.length === 0) return;
  const text = t("goal.problems", { path: shown(path, ctx), problems: goal.problems.join("\n") });
  scopeOf(ctx)?.emit(makeEvent("task", text, { type: "notice", code: "goal-problems", data: goal.problems }));
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
