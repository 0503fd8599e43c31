import type { Message } from "../../src/messages/message.ts";
import type { JournalEntry, SessionLease } from "../../src/sessions/store.ts";

/** One write of a lease, as data, so that a child process can do it and the test can say what must be left of it. */
export type ScriptStep =
  | { readonly do: "begin"; readonly turnId: string }
  | { readonly do: "append"; readonly entry: JournalEntry }
  | { readonly do: "commit"; readonly end: boolean }
  | { readonly do: "rollback" }
  | { readonly do: "pause" };

const calls = ["c1", "c2", "c3"].map((callId) => ({ type: "call", callId, name: "look", args: {} }) as const);

function append(id: string, role: Message["role"], parts: Message["parts"]): ScriptStep {
  return { do: "append", entry: { type: "message", message: { id, role, parts, at: "2025-01-01T00:00:00.000Z" } } };
}

/** A turn that commits per iteration, with three parallel calls; one that is rolled back; one that is paused. */
export const SCRIPT: readonly ScriptStep[] = [
  { do: "begin", turnId: "committed" },
  append("u1", "user", [{ type: "text", text: "look around" }]),
  append("m1", "model", calls),
  { do: "append", entry: { type: "call-started", callId: "c1", name: "look", idempotent: false } },
  append(
    "r1",
    "tool",
    calls.map(({ callId, name }) => ({ type: "result", callId, name, content: [], isError: false })),
  ),
  { do: "commit", end: false },
  append("m2", "model", [{ type: "text", text: "done" }]),
  { do: "commit", end: true },
  { do: "begin", turnId: "rolled back" },
  append("u2", "user", [{ type: "text", text: "never mind" }]),
  { do: "rollback" },
  { do: "begin", turnId: "paused" },
  append("u3", "user", [{ type: "text", text: "may I?" }]),
  { do: "pause" },
];

export async function play(lease: SessionLease, step: ScriptStep): Promise<void> {
  switch (step.do) {
    case "begin":
      return lease.begin(step.turnId);
    case "append":
      return lease.append(step.entry);
    case "commit":
      return void (await lease.commit({ end: step.end, activeAgent: "A" }));
    case "rollback":
      return lease.rollback("because");
    case "pause":
      return lease.pause();
    default:
      return step satisfies never;
  }
}

export interface Left {
  readonly history: readonly string[];
  readonly commits: number;
  readonly open?: { readonly turnId: string; readonly paused: boolean; readonly entries: number };
}

/** What a store must hold after exactly these steps: the model that the stores are compared with. */
export function leftAfter(steps: readonly ScriptStep[]): Left {
  let left: Left = { history: [], commits: 0 };
  let pending: string[] = [];
  for (const step of steps) {
    if (step.do === "begin") left = { ...left, open: { turnId: step.turnId, paused: false, entries: 0 } };
    if (step.do === "append") {
      if (step.entry.type === "message") pending.push(step.entry.message.id);
      left = { ...left, open: { ...left.open!, entries: left.open!.entries + 1 } };
    }
    if (step.do === "pause") left = { ...left, open: { ...left.open!, paused: true } };
    if (step.do === "rollback") left = { ...left, open: undefined };
    if (step.do === "commit") {
      const open = step.end ? undefined : { ...left.open!, entries: 0 };
      left = { history: [...left.history, ...pending], commits: left.commits + 1, open };
    }
    if (step.do === "commit" || step.do === "rollback") pending = [];
  }
  return left;
}

/** What a store does hold, in the same form. */
export function leftIn(lease: SessionLease): Left {
  const { history, commit, open } = lease.state;
  const turn = open && { turnId: open.turnId, paused: open.paused, entries: open.entries.length };
  return { history: history.map((message) => message.id), commits: commit, open: turn };
}
