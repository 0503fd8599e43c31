import { describe, expect, it } from "vitest";
import { Agent } from "../../src/agents/agent.ts";
import { type RecordedRequest, ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import { Runner } from "../../src/runner/runner.ts";
import type { RunnerOptions } from "../../src/runner/runner-options.ts";
import { MemorySessionStore } from "../../src/sessions/memory.ts";
import type { JournalEntry } from "../../src/sessions/store.ts";
import { calling, plainTool } from "./stage.ts";
import { transcript } from "./transcript.ts";

/** A turn to be broken off after each entry of its journal: what the model says in it, reply by reply. */
interface Course extends Partial<RunnerOptions> {
  readonly title: string;
  readonly replies: readonly (string | ScriptedReply)[];
  readonly answerSchema?: object;
}

/** One transfer a reply, to these agents. */
function transfers(to: string): readonly ScriptedReply[] {
  return [...to].map((name) => calling(`transfer_to_${name}`));
}

const COURSES: readonly Course[] = [
  { title: "with three parallel tools", replies: [calling("look", "work", "look"), calling("nope"), "Done."] },
  { title: "with transfers beside other calls", replies: [calling("transfer_to_b", "look"), calling("look", "transfer_to_a"), "A again."] },
  { title: "with two transfers in one reply", replies: [calling("transfer_to_b", "transfer_to_c"), "B here."] },
  {
    title: "at the handoff limit",
    maxHandoffsPerTurn: 1,
    replies: [calling("transfer_to_b"), calling("transfer_to_a"), calling("transfer_to_a"), calling("look"), "B stays."],
  },
  {
    title: "that goes back and forth",
    maxHandoffsPerTurn: 99,
    replies: [...transfers("babab"), calling("look"), calling("transfer_to_b"), "A stays."],
  },
  {
    title: "that works between going back and forth",
    maxHandoffsPerTurn: 99,
    replies: [...transfers("bab"), calling("look"), ...transfers("abab"), "B here."],
  },
  { title: "at the iteration limit", maxToolIterations: 2, replies: [calling("look"), calling("work"), "As far as I got."] },
  { title: "whose answer is cut at the output limit", replies: [calling("look"), { text: "As far as", finish: "length" }] },
  {
    title: "with an answer of the wrong form",
    answerSchema: { type: "object", required: ["n"] },
    replies: [calling("look"), "seven", '{"n": 7}'],
  },
  {
    title: "with an answer of the wrong form at the iteration limit",
    answerSchema: { type: "object", required: ["n"] },
    maxToolIterations: 1,
    replies: [calling("look"), "seven", '{"n": 7}'],
  },
];

function agents(answerSchema: object | undefined): Agent {
  const tools = ["look", "work"].map((name) => plainTool(name, undefined, { idempotent: true }));
  const c = new Agent({ name: "C" });
  const b = new Agent({ name: "B", tools, handoffs: ["A"] });
  return new Agent({
    name: "A",
    instructions: "Be A.",
    tools,
    handoffs: [b, c],
    ...(answerSchema ? { outputSchema: answerSchema as never } : {}),
  });
}

function play({ title: _title, replies, answerSchema, ...options }: Course) {
  const said = ({ messages }: RecordedRequest) => messages.filter((message) => message.role === "model").length;
  const engine = new ScriptedEngine((request) => {
    const reply = replies[said(request)]!;
    const usage = { inputTokens: 10, costUsd: 1 };
    return typeof reply === "string" ? { text: reply, usage } : { ...reply, usage };
  });
  const store = new MemorySessionStore();
  const runner = new Runner({ startingAgent: agents(answerSchema), engine, sessionStore: store, ...options });
  return { engine, store, runner, asked: () => engine.requests.map((request) => toQuestion(request, said(request))) };
}

/** What the model was asked, for the reply of this number, apart from ids. */
function toQuestion({ instructions, tools, settings, messages }: RecordedRequest, number: number) {
  return { number, instructions, tools: tools.map((tool) => tool.name), settings, messages: transcript(messages) };
}

async function journalOfWhole(course: Course) {
  const whole = play(course);
  const { turnId: _id, ...response } = await whole.runner.run("s", "go");
  const [turn] = await whole.store.turns("s");
  return { response, asked: whole.asked(), lines: await linesOf(whole), journal: await whole.store.journal("s", turn!.turnId) };
}

async function linesOf({ runner }: { readonly runner: Runner }) {
  const session = await runner.session("s");
  return { lines: transcript(session!.history), activeAgent: session!.activeAgent };
}

/** A session whose open turn has these entries, as a death leaves it. */
async function leaveOpen(store: MemorySessionStore, entries: readonly JournalEntry[]): Promise<void> {
  const lease = await store.open("s");
  await lease.begin("broken-off");
  for (const entry of entries) await lease.append(entry);
  await lease.pause();
  await lease.release();
}

describe("a turn that is broken off after any entry of its journal, and recovered,", () => {
  it.each(COURSES)("goes on as if nothing had happened: $title", async (course) => {
    const whole = await journalOfWhole(course);
    for (let length = 1; length <= whole.journal.length; length++) {
      const after = `after ${length} of ${whole.journal.length} entries`;
      const again = play(course);
      await leaveOpen(again.store, whole.journal.slice(0, length));
      const { turnId, ...response } = await again.runner.recover("s");
      expect(turnId).toBe("broken-off");
      expect({ ...response, toolCallsExecuted: response.toolCallsExecuted.toSorted() }, after).toEqual({
        ...whole.response,
        toolCallsExecuted: whole.response.toolCallsExecuted.toSorted(),
      });
      expect(await linesOf(again), after).toEqual(whole.lines);
      const asked = again.asked();
      expect(asked, after).toEqual(whole.asked.slice(whole.asked.length - asked.length));
    }
  });
});
