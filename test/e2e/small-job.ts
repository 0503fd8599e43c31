import type { ScriptedReply } from "../../src/engines/scripted.ts";
import type { ModelScript, Role, View } from "./model-server.ts";

export const REQUEST = "Write a file greeting.txt that says Hello.";

type Lines = Partial<Readonly<Record<Role, ModelScript>>>;

/**
 * The model of a job of few requests: greeting.txt is to say Hello. It goes by what it was last told, not by how often it has
 * spoken, so that it does the right thing after an interruption too. `own` replaces roles.
 */
export function smallJob(own: Lines = {}): ModelScript {
  return (view) => (own[view.role] ?? JOB[view.role])(view);
}

const JOB: Readonly<Record<Role, (view: View) => ScriptedReply>> = {
  clarifier: (view) => (isAccepted(view) ? { text: "The brief is written." } : { calls: [{ name: "brief", args: BRIEF }] }),
  "goal-setter": (view) => (isAccepted(view) ? { text: "The goal is set." } : { calls: [{ name: "goal", args: GOAL }] }),
  worker: (view) => (view.news.length > 0 ? { text: "greeting.txt is written." } : write("greeting.txt", "Hello, world\n")),
  judge(view) {
    if (isAccepted(view)) return { text: "The verdict is in." };
    if (view.news.length === 0) return read("greeting.txt");
    return verdict(view.news.join().includes("Hello") ? "passed" : "failed");
  },
};

const BRIEF = {
  goal: "A file greeting.txt that says Hello.",
  criteria: "- greeting.txt says Hello",
  boundaries: "One file.",
  unknowns: "none",
};
const GOAL = {
  statement: "greeting.txt greets.",
  checks: [{ text: "greeting.txt says Hello", command: "cat greeting.txt", expect: { stdoutContains: ["Hello"] } }],
};

/** The document that the model handed in last was taken. */
export function isAccepted(view: View): boolean {
  return view.news.some((text) => text.includes("Accepted."));
}

export function read(path: string): ScriptedReply {
  return { calls: [{ name: "Read", args: { file_path: path } }] };
}

export function write(path: string, content: string): ScriptedReply {
  return { calls: [{ name: "Write", args: { file_path: path, content } }] };
}

export function bash(command: string): ScriptedReply {
  return { calls: [{ name: "Bash", args: { command, description: "Run it" } }] };
}

function ask(question: string, options: readonly string[]): ScriptedReply {
  return { calls: [{ name: "mcp__human__ask", args: { question, options } }] };
}

export function verdict(state: "passed" | "failed", reason = "I looked at the file."): ScriptedReply {
  return { calls: [{ name: "verdict", args: { checks: [{ number: 1, state, evidence: "greeting.txt: Hello, world" }], reason } }] };
}

/** A worker whose second command takes five minutes; its process id lies in `sleeper.pid`. */
export const sleepyWorker: ModelScript = (view) => {
  if (view.replies === 0) return write("greeting.txt", "Hello, world\n");
  return view.replies === 1 ? bash("echo $$ > sleeper.pid; sleep 300") : { text: "greeting.txt is written." };
};

/** A clarifier with one question before it writes the brief. */
export const askFirst: ModelScript = (view) => {
  if (isAccepted(view)) return { text: "The brief is written." };
  return view.replies === 0 ? ask("Which greeting?", ["Hello", "Good day"]) : { calls: [{ name: "brief", args: BRIEF }] };
};

/** A judge that looks and is never satisfied. */
export const neverSatisfied: ModelScript = (view) => {
  if (isAccepted(view)) return { text: "The verdict is in." };
  return view.news.length === 0 ? read("greeting.txt") : verdict("failed", "The greeting lacks warmth.");
};
