import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { answerInStore } from "../../src/human/ask-store.ts";
import type { HumanChannel } from "../../src/human/channel.ts";
import { OVER_BUDGET, TIMEOUT } from "../../src/human/fixed-texts.ts";
import { type CallPart, resultText } from "../../src/messages/message.ts";
import { runCall } from "../../src/tools/call.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { startScript } from "../script.ts";
import { toolContext } from "../tools/tool-bench.ts";
import { type Desk, makeDesk, seen, settle, waiting } from "./desk.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await makeDesk();
});
afterEach(() => desk[Symbol.asyncDispose]());

const WAIT_MS = 60_000;
const NOW = "2026-01-01T00:00:00.000Z";
const ASK: CallPart = { type: "call", callId: "c1", name: "mcp__human__ask", args: { question: "Tabs?", options: ["yes", "no"] } };

interface Settings {
  readonly maxAsks: number | undefined;
  readonly timeoutMs: number | null;
}

/** What is left of a question: its state, the events a UI saw, the last line of the log, what the model read (or why it read nothing). */
interface Trace {
  readonly state: string;
  readonly events: readonly string[];
  readonly log: string;
  readonly reads: string;
}

interface Act {
  readonly name: string;
  /** While the question waits. */
  readonly act: (channel: HumanChannel, abort: AbortController) => unknown;
  readonly leaves: (settings: Settings) => Trace;
}

const answered = (answer: string): Trace => ({
  state: "answered",
  events: ["q1 asked", "q1 answered"],
  log: `q1 answered after 0.0 s:\n\n> ${answer}`,
  reads: `The person answered after 0.0 s:\n\n${answer}`,
});
const ASKED: Trace = { state: "asked", events: ["q1 asked"], log: "- yes\n- no", reads: "" };
const TIMED_OUT: Trace = {
  state: "timeout",
  events: ["q1 asked", "q1 timeout"],
  log: "q1 not answered by anyone (60.0 s); the agent goes on by its own judgement.",
  reads: TIMEOUT.en,
};

const acts: readonly Act[] = [
  { name: "answer", act: (channel) => channel.answer("q1", "yes"), leaves: () => answered("yes") },
  {
    name: "decline",
    act: (channel) => channel.decline("q1", "not now"),
    leaves: () => ({
      state: "declined",
      events: ["q1 asked", "q1 declined"],
      log: "q1 declined after 0.0 s.\n\n> not now",
      reads: "The person's reason: not now",
    }),
  },
  {
    name: "timeout",
    act: () => desk.clock.advance(WAIT_MS),
    leaves: ({ timeoutMs }) => (timeoutMs === null ? ASKED : TIMED_OUT),
  },
  {
    name: "abort",
    act: (_channel, abort) => abort.abort(new FlowerError("aborted", "The run was aborted.")),
    leaves: () => ({ ...ASKED, reads: "thrown: The run was aborted." }), // it waits for the next start
  },
  {
    name: "abort for good",
    act: (_channel, abort) => abort.abort(new FlowerError("step-timeout", "The step was stopped.")),
    leaves: () => ({
      state: "invalid",
      events: ["q1 asked", "q1 invalid"],
      log: "q1 not asked: the question was empty, or its asker gave it up.",
      reads: "thrown: The step was stopped.",
    }),
  },
  {
    name: "late answer",
    async act(channel) {
      await desk.clock.advance(WAIT_MS);
      channel.answer("q1", "late");
    },
    leaves: ({ timeoutMs }) =>
      timeoutMs === null
        ? { ...answered("late"), log: "q1 answered after 60.0 s:\n\n> late", reads: "The person answered after 60.0 s:\n\nlate" }
        : TIMED_OUT,
  },
  {
    name: "double answer",
    act(channel) {
      expect([channel.answer("q1", "first"), channel.answer("q1", "second"), channel.decline("q1")]).toEqual([true, false, false]);
    },
    leaves: () => answered("first"),
  },
  {
    name: "answer from another process",
    async act(channel) {
      expect(await answerInStore(desk.store, "q1", "from afar", { clock: desk.clock })).toBe(true);
      expect(await answerInStore(desk.store, "q1", "again", { clock: desk.clock })).toBe(false);
      await channel.refresh();
    },
    leaves: () => answered("from afar"),
  },
];

const quotas = [undefined, 0, 2] as const;
const times = [null, 0, WAIT_MS] as const;
const all: readonly Settings[] = quotas.flatMap((maxAsks) => times.map((timeoutMs) => ({ maxAsks, timeoutMs })));
const waits = ({ maxAsks, timeoutMs }: Settings) => maxAsks !== 0 && timeoutMs !== 0;

/** A question that the settings do not let wait: nothing that happens afterwards changes it. */
function refused({ maxAsks }: Settings): Trace {
  if (maxAsks === 0) {
    const log = "q1 not asked: the quota of questions is used up.";
    return { state: "over_budget", events: ["q1 over_budget"], log, reads: OVER_BUDGET.en };
  }
  const log = "q1 not answered by anyone (0.0 s); the agent goes on by its own judgement.";
  return { state: "timeout", events: ["q1 timeout"], log, reads: TIMEOUT.en };
}

function ask(channel: HumanChannel, signal: AbortSignal): Promise<string> {
  return runCall(ASK, channel.tools[0] as Tool, toolContext({ sessionId: "s1", callId: "c1", signal }), { clock: desk.clock }).then(
    (outcome) => resultText(outcome.content),
    (error: Error) => `thrown: ${error.message}`,
  );
}

describe.each(all)("maxAsks $maxAsks, timeoutMs $timeoutMs", (settings) => {
  test.each(acts)("$name", async ({ act, leaves }) => {
    const expected = waits(settings) ? leaves(settings) : refused(settings);
    const channel = desk.open({ ...settings, storePath: desk.store, logPath: desk.log });
    const abort = new AbortController();
    let read = "";
    const reading = ask(channel, abort.signal).then((text) => {
      read = text;
    });
    if (waits(settings)) {
      await waiting(channel);
      await act(channel, abort);
    } else {
      await reading;
    }
    if (expected.state === "asked" && expected.reads === "") await settle();
    else await reading;
    if (expected.state !== "asked") expect(channel.answer("q1", "too late")).toBe(false);
    await channel.flush();
    expect(channel.asks).toMatchObject([{ id: "q1", state: expected.state, question: "Tabs?" }]);
    expect(seen(desk.events)).toEqual(expected.events);
    expect(read).toContain(expected.reads);
    const log = await desk.read(desk.log);
    expect(log.startsWith(`\n## q1 · ${NOW} · main\n\n> Tabs?\n\nOptions:\n\n- yes\n- no\n`)).toBe(true);
    expect(log.trimEnd().endsWith(expected.log)).toBe(true);
    expect(JSON.parse(await desk.read(desk.store)).asks).toMatchObject([{ id: "q1", state: expected.state }]);
    await channel.close();
    await reading;
    expect(desk.clock.timers).toBe(0);
  });

  test.runIf(waits(settings))("kill while it waits: the same number afterwards, and the answer given meanwhile", async () => {
    const child = startScript("human/children/ask-and-hang", desk.store, JSON.stringify({ ...settings, logPath: desk.log }));
    expect(await child.line()).toBe("Tabs?");
    await child.kill();

    const second = desk.open({ ...settings, storePath: desk.store, logPath: desk.log });
    const reading = ask(second, new AbortController().signal);
    await waiting(second);
    expect(second.pending()).toMatchObject([{ id: "q1", question: "Tabs?" }]);
    await second.close(); // killed again, as far as the store can tell
    await reading;
    expect(await answerInStore(desk.store, "q1", "meanwhile", { clock: desk.clock })).toBe(true);

    const third = desk.open({ ...settings, storePath: desk.store, logPath: desk.log });
    expect(await ask(third, new AbortController().signal)).toMatch(/^The person answered after .* s:\n\nmeanwhile$/);
    await third.close();
    expect(seen(desk.events)).toEqual(["q1 asked", "q1 answered"]);
    expect((await desk.read(desk.log)).match(/## q1/g)).toHaveLength(1);
  });
});
