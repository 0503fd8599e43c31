import type { Tool } from "../tools/tool.ts";
import { type Check, checkProblems } from "../workbench/check.ts";
import { type Goal, makeGoal } from "../workbench/goal-document.ts";
import { documentTool, type HandedIn } from "./document-tools.ts";

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
          command: { type: "string", description: "One line of bash that shows it, run by the runtime in a copy of the workspace." },
          inPlace: {
            type: "boolean",
            description: "Run the command in the workspace itself: only for what a copy cannot show, like a process that runs there.",
          },
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

/** The tool by which a goal-setter hands in its goal. */
export function goalTool(into: HandedIn<Goal>): Tool {
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
