export { type Brief, parseBrief } from "../workbench/brief.ts";
export type { Check } from "../workbench/check.ts";
export { type Goal, parseGoal } from "../workbench/goal-document.ts";
export { type ClarifyOptions, clarifyStep } from "./clarify.ts";
export {
  abortedBecause,
  BRIEF_KEY,
  briefOf,
  type Ctx,
  failedAt,
  GOAL_KEY,
  goalOf,
  ROUND_KEY,
  requestOf,
  resultsOf,
  roundsOf,
  VERDICT_KEY,
  verdictOf,
} from "./ctx.ts";
export { type GoalOptions, goalStep } from "./goal.ts";
export { type Parallel, type ParallelOptions, parallel } from "./parallel.ts";
export { type StarterOptions, type StarterWorkflow, starterFlow } from "./starter.ts";
export { type GateAnswer, Step, StepAbort, type StepOptions } from "./step.ts";
export { type Verdict, verdictFeedback } from "./verdict.ts";
export { type WithGoalOptions, withGoal } from "./with-goal.ts";
export { EXIT_CODES, Workflow, type WorkflowOptions, type WorkflowRunOptions } from "./workflow.ts";
export type { WorkflowSetup } from "./workflow-setup.ts";
