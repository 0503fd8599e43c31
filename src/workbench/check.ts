import { type Expectation, expectationToText, LONGEST_EXPECTATION, parseExpectation } from "./expectation.ts";
import { toPattern } from "./pattern.ts";
import { LONGEST_REASON } from "./unverifiable-mark.ts";

/** One item of the checklist. With a `command` it is a *hard* check: the framework runs it before anyone judges. */
export interface Check {
  /** What is to be done and seen, as Markdown. */
  readonly text: string;
  /** One line of shell. */
  readonly command?: string;
  /** Without it the command has to exit with 0. */
  readonly expect?: Expectation;
  /** Run in the workspace itself, not in a copy: the check is about a live process or an absolute path. */
  readonly inPlace?: boolean;
  /** Why nobody can verify it in this environment. */
  readonly unverifiableReason?: string;
}

/** Why a check cannot be put into a goal, one sentence each (English, for models and logs); empty when it can. */
export function checkProblems(check: Check): string[] {
  return [...textProblems(check), ...commandProblems(check), ...expectationProblems(check)];
}

function textProblems({ text, unverifiableReason: reason }: Check): string[] {
  const problems: string[] = [];
  if (text.trim() === "") problems.push("The text is empty; say what must be seen.");
  if (reason === undefined) return problems;
  if (reason.trim() === "") problems.push("The reason why it cannot be verified is empty; leave it out or give one.");
  if (hasLineBreak(reason)) problems.push("The reason why it cannot be verified must be one line.");
  if (reason.length > LONGEST_REASON) problems.push(`The reason why it cannot be verified is longer than ${LONGEST_REASON} characters.`);
  return problems;
}

function commandProblems({ command, expect, inPlace }: Check): string[] {
  if (command === undefined) return expect || inPlace ? ["An expectation needs a command that it is about."] : [];
  if (command.trim() === "") return ["The command is empty; leave it out or give one."];
  if (hasLineBreak(command))
    return ["The command contains a line break; put the lines into a script and run that, or join them with && or ;."];
  return [];
}

function expectationProblems({ expect, inPlace }: Check): string[] {
  const problems: string[] = [];
  const { exit, stdoutContains = [], stdoutMatches, creates = [] } = expect ?? {};
  if (exit !== undefined && !(Number.isInteger(exit) && exit >= 0 && exit <= 255)) problems.push("exit must be a whole number, 0 to 255.");
  if (stdoutContains.includes("")) problems.push("stdoutContains has an empty text, which every output contains.");
  if (creates.some((path) => path.trim() === "")) problems.push("creates has an empty path.");
  if (stdoutMatches === "" || (stdoutMatches !== undefined && !toPattern(stdoutMatches))) {
    problems.push(`stdoutMatches is no regular expression: ${stdoutMatches}`);
  }
  if (problems.length > 0) return problems;
  const line = expectationToText({ expect, inPlace });
  if (line.length > LONGEST_EXPECTATION) return [`The expectation is longer than ${LONGEST_EXPECTATION} characters.`];
  return line === "" || parseExpectation(line) ? [] : [`The expectation cannot be written as one line that reads back: ${line}`];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text.trim());
}
