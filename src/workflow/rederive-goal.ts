import { type Language, translator } from "../i18n/catalogue.ts";
import { goalSetter, type RoleOptions } from "../runtime/roles.ts";
import type { StepResult } from "../runtime/step-result.ts";
import type { Check } from "../workbench/check.ts";
import { type Goal, goalToMarkdown, makeGoal } from "../workbench/goal-document.ts";
import { type Ctx, runtimeOf, scopeOf } from "./ctx.ts";
import { HandedIn } from "./document-tools.ts";
import { freezeGoal, freezeHandedIn, inBoth, personalChecks } from "./freeze-goal.ts";
import { goalTool } from "./goal-tool.ts";
import { StepAbort } from "./step.ts";

export interface RederiveInput {
  readonly goal: Goal;
  /** What a person said. */
  readonly words: string;
  /** They said what the goal should be: their words then stand in the goal, whatever the goal-setter makes of them. */
  readonly isNewGoal: boolean;
  /** ISO instant up to which the person has been heard. */
  readonly heardUntil: string;
  readonly goalPath: string;
  readonly language: Language;
  readonly ctx: Ctx;
  readonly role?: RoleOptions;
}

/**
 * Has the goal-setter amend the goal by a person's words ("no change" is a valid answer), and freezes the outcome. Checks that a person
 * wrote into the file stay, unless they now say what the goal should be. Throws
 * `StepAbort` when it could not work and the words are nowhere but in the brief: nobody may be judged as if they had not been said.
 */
export async function rederiveGoal(input: RederiveInput): Promise<Goal> {
  const { goal, language, words } = input;
  const frozen = { path: input.goalPath, language, heardUntil: input.heardUntil };
  const goals = new HandedIn<Goal>();
  const result = await askGoalSetter(input, goals);
  const handedIn = result && goals.take(result.sessionId);
  if (!handedIn && !input.isNewGoal && result?.ok === false) {
    throw new StepAbort(`The goal could not be amended by what the person said: ${result.error}`, { code: result.errorKind });
  }
  const scope = scopeOf(input.ctx);
  if (handedIn) {
    const changed = input.isNewGoal ? withWords(handedIn, goal, words, language) : handedIn;
    const personal = personalChecks(goal, scope);
    return freezeHandedIn(changed, input.isNewGoal ? inBoth(personal, changed.checks) : personal, scope, frozen);
  }
  const kept = input.isNewGoal ? withWords(undefined, goal, words, language) : goal;
  await freezeGoal(kept, frozen);
  return kept;
}

function askGoalSetter(input: RederiveInput, goals: HandedIn<Goal>): Promise<StepResult> | undefined {
  const { ctx, goal, language, words } = input;
  const scope = scopeOf(ctx);
  const agent = goalSetter({ ...input.role, tools: [goalTool(goals)] });
  const said = input.isNewGoal ? "The person changed the goal" : "Since the goal was set, the person said";
  const prompt = `${said}:\n\n${words}\n\n${amendPrompt(goal, input.isNewGoal ? [] : personalChecks(goal, scope))}`;
  const label = { step: translator(language)("step.goal"), round: scope?.round };
  return runtimeOf(ctx)?.run(agent, prompt, { label, signal: scope?.signal, onEvent: scope?.onEvent, takesWords: false });
}

/** The person's words stand in the statement, so that one sees what changed; without a usable list they are a check themselves. */
function withWords(handedIn: Goal | undefined, old: Goal, words: string, language: Language): Goal {
  const base = handedIn ?? makeGoal(old.statement, [...old.checks, { text: words }]);
  return makeGoal(`${base.statement}\n\n${translator(language)("goal.changed", { words })}`, base.checks);
}

/** Shows a goal that is to be amended. What the person wrote into it stays. */
export function amendPrompt(old: Goal, personal: readonly Check[]): string {
  const theirs = personal.map((check) => `- ${check.text.replaceAll("\n", "\n  ")}`).join("\n");
  const stays = theirs === "" ? "" : `\nThe person wrote these checks themselves. They stay as they are:\n\n${theirs}\n`;
  return `There is a goal already; amend it: keep what still holds, change or add what is new.\n\n${goalToMarkdown(old, "en")}${stays}`;
}
