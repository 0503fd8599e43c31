import type { ScriptedReply } from "../../../src/engines/scripted.ts";
import type { View } from "../model-server.ts";
import { bash, isAccepted, read } from "../small-job.ts";
import { ANSWER, COUNT, EDIT_EVERY, GOAL, INTERRUPTS, PUSH_AT, RECORD_EVERY, WORDS } from "./plan.ts";

const FILLER = "I look at what is there, do the next number and see that it is where it belongs. ".repeat(6);
const LOOK = "echo last=$(tail -n 1 numbers.txt)";

/**
 * A careful model that appends the numbers from 1 to `COUNT` to numbers.txt, one an iteration. It goes by what it sees, never by what
 * it has said: after anything unexpected it looks before it goes on.
 */
export function replyTo(view: View): ScriptedReply {
  switch (view.role) {
    case "clarifier":
      return clarifier(view);
    case "goal-setter":
      return isAccepted(view) ? { text: "The goal is set." } : { calls: [{ name: "goal", args: goalFor(view) }] };
    case "judge":
      return judge(view);
    case "worker":
      return worker(view);
    default:
      return view.role satisfies never;
  }
}

/** The number that the worker is about to append, if that is what comes next. */
export function nextNumber(view: View): number | undefined {
  const last = /last=(\d*)/.exec(view.news.join("\n"))?.[1];
  const next = view.role === "worker" && last !== undefined ? Number(last) + 1 : undefined;
  return next !== undefined && next <= COUNT ? next : undefined;
}

export function isWriting(view: View): boolean {
  return view.role === "worker" && view.news.length === 0 && view.prompt.includes("Call handoff_document now");
}

export function isTakingOver(view: View): boolean {
  return view.role === "worker" && view.replies === 0 && view.prompt.startsWith("You are taking over");
}

/** The process that runs the job is killed by the command itself, right after it has done its work. */
export function deadly(number: number): ScriptedReply {
  return bash(`echo ${number} >> numbers.txt; kill -9 $PPID`);
}

/** A command that is still to do its work when the process that runs the job is killed. */
export function busy(): ScriptedReply {
  return bash("echo $$ > busy.pid; sleep 300; echo 0 >> numbers.txt");
}

function clarifier(view: View): ScriptedReply {
  if (isAccepted(view)) return { text: "The brief is written." };
  if (view.replies === 0) return { calls: [{ name: "mcp__human__ask", args: { question: "What kind of file?", options: [] } }] };
  const answer = view.texts.some((text) => text.includes(ANSWER)) ? ANSWER : "nobody said";
  const args = { goal: `Numbers from 1 to ${COUNT}. ${answer}`, criteria: "- each number once", boundaries: "none", unknowns: "none" };
  return { calls: [{ name: "brief", args }] };
}

/** The goal as it was, and a check for everything that the person has said. */
function goalFor(view: View) {
  const said = WORDS.filter((words) => view.prompt.includes(words)).map((text) => ({ text }));
  return { statement: GOAL.statement, checks: [...GOAL.checks, ...said] };
}

function judge(view: View): ScriptedReply {
  if (isAccepted(view)) return { text: "The verdict is in." };
  if (view.news.length === 0) return read("numbers.txt");
  const isThere = view.news.join("\n").includes(String(COUNT));
  const checks = (goalFor(view).checks as readonly unknown[]).map((_, index) => ({
    number: index + 1,
    state: isThere ? "passed" : "failed",
    evidence: `numbers.txt ends with ${COUNT}`,
  }));
  return { calls: [{ name: "verdict", args: { checks, reason: "I looked at numbers.txt." } }] };
}

function worker(view: View): ScriptedReply {
  const said = view.news.join("\n");
  if (isWriting(view)) return { calls: [{ name: "handoff_document", args: handoffDocument() }] };
  if (view.news.length === 0) {
    const hasMail = view.prompt.includes("Read the inbox now");
    return hasMail ? { calls: [{ name: "mcp__human__inbox", args: {} }] } : { text: FILLER, ...bash(LOOK) };
  }
  if (said.includes("closed")) return { text: `All ${COUNT} numbers are there.` };
  const number = nextNumber(view);
  if (number !== undefined) return { text: FILLER, ...append(number, said) };
  if (said.includes(`last=${COUNT}`)) return bash(`${isWantedAtTheEnd(view) ? "echo finis > finis.txt; " : ""}echo closed`);
  return { text: FILLER, ...bash(LOOK) };
}

/** Said many sessions ago. */
function isWantedAtTheEnd(view: View): boolean {
  return view.texts.some((text) => text.includes(INTERRUPTS[0]));
}

/** The number's command, at some of them with another tool before it. */
function append(number: number, said: string): ScriptedReply {
  const extra = number % RECORD_EVERY === 0 ? ` && git add -A && git commit -qm ${number}` : "";
  const push = number === PUSH_AT ? "git push -q origin HEAD:main && " : "";
  const { calls = [] } = bash(`${push}echo ${number} >> numbers.txt${extra}; ${LOOK}`);
  if (number % EDIT_EVERY !== 0) return { calls };
  const before = /total (\d+)/.exec(said)?.[1];
  if (before !== undefined) {
    const args = { file_path: "ledger.md", old_string: `total ${before}`, new_string: `total ${number}` };
    return { calls: [{ name: "Edit", args }, ...calls] };
  }
  const note = { name: "Write", args: { file_path: `parts/${number}.md`, content: `Part ${number}\n` } };
  return { calls: [note, { name: "Read", args: { file_path: "ledger.md" } }, ...(bash(LOOK).calls ?? [])] };
}

function handoffDocument() {
  return {
    doing: "The numbers are appended to numbers.txt one by one.",
    decided: "What numbers.txt ends with is what is done.",
    next: "Look at the end of numbers.txt and go on with the number after it.",
    scene: ["numbers.txt", "ledger.md"],
  };
}
