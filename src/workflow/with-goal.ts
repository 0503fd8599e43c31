import { join } from "node:path";
import { FlowerError } from "../core/errors.ts";
import { readText } from "../core/files.ts";
import { parseJson } from "../core/json.ts";
import type { Amendment } from "../human/amendments.ts";
import type { HumanChannel } from "../human/channel.ts";
import { ASK_TOOL_NAME } from "../human/tools.ts";
import { type Language, type Translate, translator } from "../i18n/catalogue.ts";
import { makeEvent } from "../messages/event.ts";
import type { StepResult } from "../runtime/step-result.ts";
import { type Goal, parseGoal } from "../workbench/goal-document.ts";
import { watchBrief } from "./brief-edit.ts";
import { type Ctx, GOAL_KEY, ROUND_KEY, runtimeOf, type Scope, scopeOf, VERDICT_KEY } from "./ctx.ts";
import { goalIdentity, heardUntil } from "./freeze-goal.ts";
import { runGoalChecks, tellChanges, tellNoCopy } from "./goal-checks.ts";
import { checkSeal, loosenSeal, sealGoal } from "./goal-seal.ts";
import { type JudgeOptions, judgeWork } from "./judge.ts";
import { beginRound, failedBeforeIdleRound, failedChecks, forgetStanding, noteSentBack } from "./no-progress.ts";
import { rederiveGoal } from "./rederive-goal.ts";
import { finishedBefore, isSaidOtherwise, noteSaid, saidWords } from "./said-words.ts";
import { type GateAnswer, type Step, StepAbort } from "./step.ts";
import { deriveVerdict, isVerdict, type Verdict, verdictFeedback, verdictToMarkdown } from "./verdict.ts";

export interface WithGoalOptions extends JudgeOptions {
  readonly goalPath: string;
  /** All rounds of work, the first included. Default 3. Replaces the step's `retries`. */
  readonly rounds?: number;
  /** Let the runtime run the checks' commands. Default true. */
  readonly runChecks?: boolean;
  readonly language?: Language;
}

/**
 * Wraps a work step in a loop with an independent judge: achieved → on; not yet → back into the same session with what is
 * missing; unreachable, or a round without any progress → stop and ask a person. Nobody answers → `StepAbort`.
 */
export function withGoal(step: Step, channel: HumanChannel, options: WithGoalOptions): Step {
  const rounds = options.rounds ?? DEFAULT_ROUNDS;
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new FlowerError("bad-config", `rounds must be a whole number ≥ 1 (the first round of work counts), not ${rounds}.`);
  }
  const guard = new GoalGuard(channel, options);
  return step.with({
    retries: rounds - 1,
    alone: "while its work is judged nobody else may change the workspace. Let it follow the parallel steps.",
    gate: async (result, ctx) => {
      const before = step.options.gate ? await step.options.gate(result, ctx) : true;
      return before === true ? guard.judge(result, ctx) : before;
    },
    judgedBy: (ctx) => guard.judgedBy(ctx),
    onReject: (_result, ctx) => guard.feedback(ctx),
    onRound: async (ctx) => {
      await step.options.onRound?.(ctx);
      await guard.seal(ctx);
      await beginRound(ctx);
    },
    onRoundFailed: async (ctx) => {
      await step.options.onRoundFailed?.(ctx);
      const scope = scopeOf(ctx);
      if (!scope) return;
      await loosenSeal(options.goalPath, scope);
      await watchBrief(channel.amendPath, scope, translator(options.language ?? "en"), await isSaidOtherwise(channel, ctx));
    },
  });
}

const DEFAULT_ROUNDS = 3;

/** A person's answers to "the goal cannot be reached", by identity of the option. */
const OPTIONS = ["goal.accept", "goal.change", "goal.wrong"] as const;

class GoalGuard {
  readonly #channel: HumanChannel;
  readonly #options: WithGoalOptions;
  readonly #t: Translate;

  constructor(channel: HumanChannel, options: WithGoalOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#t = translator(options.language ?? "en");
  }

  /** Before a round; one before it that was cut short may have changed the goal. */
  async seal(ctx: Ctx): Promise<void> {
    const scope = scopeOf(ctx);
    if (!scope) return;
    await checkSeal(this.#options.goalPath, scope, this.#channel, this.#t);
    await sealGoal(this.#options.goalPath, scope);
    await noteSaid(this.#channel, ctx);
  }

  async judge(result: StepResult, ctx: Ctx): Promise<GateAnswer> {
    const runtime = runtimeOf(ctx);
    const scope = scopeOf(ctx);
    if (!runtime || !scope) throw new StepAbort("The judge cannot run: the workflow was not started by Workflow.run.");
    const round = scope.round;
    ctx[ROUND_KEY] = round;
    ctx[REBUTTAL_KEY] = undefined;
    const asked = await this.#askedBefore(scope);
    if (!asked && (await this.#takeUnread(ctx, scope))) return "unheard";
    await checkSeal(this.#options.goalPath, scope, this.#channel, this.#t);
    await watchBrief(this.#channel.amendPath, scope, this.#t, await isSaidOtherwise(this.#channel, ctx));
    await scope.workDone();
    const failedBefore = await failedBeforeIdleRound(ctx, scope);
    const goal = asked ? await this.#goal() : await this.#goalAsOfNow(ctx);
    ctx[GOAL_KEY] = goal;
    ctx[judgedKey(scope)] = goalIdentity(goal, this.#options.goalPath, scope);
    if (asked) return this.#concluded(asked, goal, scope, ctx, asked.state !== "unreachable");
    const hardChecks = this.#options.runChecks === false ? [] : await runGoalChecks({ goal, runtime, scope, t: this.#t });
    const judgement = await judgeWork({
      runtime,
      goal,
      hardChecks,
      claim: result.text,
      label: { step: scope.step, judge: round },
      signal: scope.signal,
      onEvent: scope.onEvent,
      options: this.#options,
      tools: this.#channel.tools.filter((item) => item.name === ASK_TOOL_NAME),
      onNoCopy: (reason) => tellNoCopy(reason, scope, this.#t),
      onChanges: (paths) => tellChanges(paths, scope, this.#t),
    });
    const verdict = deriveVerdict({
      goal,
      report: "report" in judgement ? judgement.report : undefined,
      words: "words" in judgement ? judgement.words : undefined,
      hardChecks,
      accepted: acceptedChecks(scope),
      defaultReason: this.#t("goal.noConclusion"),
    });
    const isStuck = round < (this.#options.rounds ?? DEFAULT_ROUNDS) && failedBefore === failedChecks(verdict);
    return this.#concluded(verdict, goal, scope, ctx, isStuck);
  }

  async #concluded(verdict: Verdict, goal: Goal, scope: Scope, ctx: Ctx, isStuck: boolean): Promise<GateAnswer> {
    const { round, step } = scope;
    ctx[VERDICT_KEY] = verdict;
    await runtimeOf(ctx)?.books.saveVerdict(verdictName(scope), verdict, verdictToMarkdown(verdict, this.#t));
    const { state, reason, checks } = verdict;
    scope.emit(makeEvent("task", reason, { type: "verdict", step, round, state, reason, checks }));
    if (verdict.ok) return true;
    if (state === "unreachable") return this.#askPerson("unreachable", verdict, goal, scope, ctx);
    if (isStuck) return this.#askPerson("noProgress", verdict, goal, scope, ctx);
    noteSentBack(verdict, ctx, scope);
    return false;
  }

  /** The goal that this work was judged by in this run; before that, the one it would be judged by. */
  async judgedBy(ctx: Ctx): Promise<string> {
    const scope = scopeOf(ctx);
    const judged = scope && ctx[judgedKey(scope)];
    if (typeof judged === "string") return judged;
    return goalIdentity(parseGoal((await readText(this.#options.goalPath)) ?? ""), this.#options.goalPath, scope);
  }

  /** What the person has said and the work has not heard when its turn ended goes to it before anything is judged. */
  async #takeUnread(ctx: Ctx, scope: Scope): Promise<boolean> {
    await this.#channel.flush(); // mail that is being saved has been said
    const mail = (await this.#channel.takeMail()).map(({ text }) => text);
    const words = [...mail, ...(runtimeOf(ctx)?.takeWaitingWords() ?? [])];
    ctx[UNHEARD_KEY] = words;
    if (words.length > 0) forgetStanding(ctx, scope);
    return words.length > 0;
  }

  /** The verdict about which an earlier run has asked the person already, in this round: it stands, whether they have answered or not. */
  async #askedBefore(scope: Scope): Promise<Verdict | undefined> {
    if (!this.#channel.asks.some((ask) => ask.key === questionKey(scope))) return undefined;
    for (const path of scope.earlierFiles(join("verdicts", `${verdictName(scope)}.json`))) {
      const verdict: unknown = parseJson((await readText(path)) ?? "");
      if (isVerdict(verdict) && !verdict.ok) return verdict; // nobody is asked about one that is achieved
    }
    return undefined;
  }

  /** What goes back to the worker: what a person said, unheard or of the verdict, and what is missing. */
  async feedback(ctx: Ctx): Promise<string> {
    const unheard = (ctx[UNHEARD_KEY] as readonly string[] | undefined) ?? [];
    ctx[UNHEARD_KEY] = undefined;
    if (unheard.length > 0) return finishedBefore(unheard);
    const verdict = ctx[VERDICT_KEY] as Verdict | undefined;
    const rebuttal = ctx[REBUTTAL_KEY];
    const mail = (await this.#channel.takeMail()).map(({ text }) => text); // what came while it was judged
    const words = [...(typeof rebuttal === "string" ? [rebuttal] : []), ...mail];
    const said = words.length > 0 ? `The person says:\n\n${words.join("\n\n")}\n\n` : "";
    const missing = verdict ? verdictFeedback(verdict) : "";
    return `${said}An independent judge looked at your work. The goal is not reached yet:\n\n${missing}\n\nGo on from where you are and close the gap. The goal lies at ${this.#options.goalPath}.`;
  }

  /** The frozen goal, amended first when a person has said anything since they were heard. Saying nothing costs nothing. */
  async #goalAsOfNow(ctx: Ctx): Promise<Goal> {
    const goal = await this.#goal();
    const said = await this.#unheard(ctx);
    const newest = said.at(-1);
    if (newest === undefined) return goal;
    const { goalPath, language = "en", role } = this.#options;
    const words = said.map((amendment) => amendment.text).join("\n\n");
    return rederiveGoal({ goal, words, isNewGoal: false, heardUntil: newest.at, goalPath, language, ctx, role });
  }

  /** Oldest first. */
  async #unheard(ctx: Ctx): Promise<readonly Amendment[]> {
    if (this.#channel.amendPath === undefined) return [];
    const heard = await heardUntil(this.#options.goalPath);
    return (await saidWords(this.#channel, ctx)).filter(({ at }) => Date.parse(at) > heard);
  }

  async #goal(): Promise<Goal> {
    const goal = parseGoal((await readText(this.#options.goalPath)) ?? "");
    if (!goal.complete) throw new StepAbort(`There is no complete goal at ${this.#options.goalPath}; without one nothing can be judged.`);
    return goal;
  }

  async #askPerson(why: "unreachable" | "noProgress", verdict: Verdict, goal: Goal, scope: Scope, ctx: Ctx): Promise<GateAnswer> {
    const { reason } = verdict;
    const options = OPTIONS.map((key) => this.#t(key));
    const asked = await this.#channel.ask(this.#t(`goal.${why}`, { reason }), {
      options,
      purpose: "goal",
      path: [scope.step],
      key: questionKey(scope),
      signal: scope.signal,
    });
    if (asked.state !== "answered") throw new StepAbort(this.#t(`goal.${why}Alone`, { reason }));
    if (asked.answer === options[0]) {
      await settle(scope, verdict);
      return true;
    }
    if (asked.answer === options[1]) return this.#changeGoal(goal, scope, ctx);
    ctx[REBUTTAL_KEY] = asked.answer;
    return "granted";
  }

  async #changeGoal(goal: Goal, scope: Scope, ctx: Ctx): Promise<GateAnswer> {
    const key = `${questionKey(scope)}/new`;
    const asked = await this.#channel.ask(this.#t("goal.newGoal"), { purpose: "goal", path: [scope.step], key, signal: scope.signal });
    const words = asked.state === "answered" ? asked.answer.trim() : "";
    if (words === "") throw new StepAbort(this.#t("goal.unreachableAlone", { reason: this.#t("goal.newGoal") }));
    const { goalPath, language = "en", role } = this.#options;
    const heard = new Date(await heardUntil(goalPath)).toISOString(); // mail that came meanwhile is yet to be heard
    ctx[GOAL_KEY] = await rederiveGoal({ goal, words, isNewGoal: true, heardUntil: heard, goalPath, language, ctx, role });
    ctx[REBUTTAL_KEY] = words;
    return "granted";
  }
}

function questionKey({ step, round }: Scope): string {
  return `goal/${step}/${round}`;
}

/** As `saveVerdict` names its files. */
function verdictName({ step, round }: Scope): string {
  return `${step}-${round}`.replaceAll(/[/\\]/g, "_");
}

const REBUTTAL_KEY = "_goal_rebuttal";
const UNHEARD_KEY = "_unheard_by_work";

function judgedKey({ step }: Scope): string {
  return `_judged_goal:${step}`;
}

function acceptedChecks(scope: Scope): ReadonlySet<string> {
  const known = parseJson(scope.document("accepted") ?? "");
  return new Set(Array.isArray(known) ? known.map(String) : []);
}

/** A person accepted the result: its unverifiable items are settled for later rounds and runs too. */
async function settle(scope: Scope, verdict: Verdict): Promise<void> {
  const open = verdict.checks.filter((check) => check.state === "unverifiable").map((check) => check.check);
  await scope.keepDocument("accepted", JSON.stringify([...new Set([...acceptedChecks(scope), ...open])]));
}
