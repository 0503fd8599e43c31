import { expect, test } from "vitest";
import type { ScriptedReply } from "../../src/engines/scripted.ts";
import { answerInStore } from "../../src/human/ask-store.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import type { HumanChannelOptions } from "../../src/human/channel-options.ts";
import type { Event } from "../../src/messages/event.ts";
import type { BudgetLimits } from "../../src/runtime/budget.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { openStage, type Stage } from "./stage.ts";

/** One working call at this price. */
const call = (n: number, costUsd = 0.4): ScriptedReply => ({ ...steps(n), usage: { costUsd, inputTokens: 400 } });
const DONE: ScriptedReply = { text: "done", usage: { costUsd: 0.4 } };

interface Start {
  readonly folder?: string;
  readonly budget?: BudgetLimits;
  readonly answers?: readonly string[];
  readonly channel?: HumanChannelOptions;
  readonly script: readonly ScriptedReply[];
}

interface Started {
  readonly stage: Stage;
  readonly channel: HumanChannel;
  readonly asked: readonly string[];
  readonly end: unknown;
}

/** A process that works under a budget, with a person who gives these answers (without any: nobody is there). */
async function start({ folder = newFolder(), budget = { usd: 1 }, answers, channel: more, script }: Start): Promise<Started> {
  const asked: string[] = [];
  const channel = new HumanChannel({ timeoutMs: answers ? null : 0, ...more });
  channel.onEvent = (event: Event) => {
    if (event.kind !== "ask" || event.payload.kind !== "question" || event.payload.state !== "asked") return;
    asked.push(event.text);
    const answer = answers?.[asked.length - 1];
    if (answer !== undefined) channel.answer(event.payload.id, answer);
  };
  const stage = openStage(script, { budget }, folder);
  const step = new Step("work", { agent: worker({ tools: [stepTool([]), ...channel.tools] }), prompt: "work" });
  await stage.run(new Workflow([step], { channel, request: "work" }));
  await stage.runtime.close();
  return { stage, channel, asked, end: stage.tasks("run-end")[0]?.payload };
}

test.each<[string, readonly string[], number]>([
  ["the option", ["Raise the limit to $2.40"], 1],
  ["an amount in free words", ["you may go up to $3"], 1],
  ["an amount, at the second asking", ["go on", "3"], 2],
])("raised by %s: the work goes on in its session, and nothing is made again", async (_what, answers, questions) => {
  const { stage, asked, end } = await start({ answers, script: [call(1), call(2), call(3), DONE] });
  expect(asked).toHaveLength(questions);
  expect(asked[0]).toContain("$1.20 of $1.00 are used");
  expect(end).toMatchObject({ outcome: "achieved", exitCode: 0 });
  expect(stage.engine.requests).toHaveLength(4);
  expect(stage.prompt("worker", 3)).toMatch(/has been raised: go on where you left off/);
  expect((await stage.manifest())[0]).toMatchObject({ ok: true, attempts: 1, numIterations: 4 });
});

test.each<[string, readonly string[] | undefined]>([
  ["the person says stop", ["Stop here"]],
  ["the person says stop in free words", ["no"]],
  ["the answer is not clear twice", ["hm", "5 more"]],
  ["nobody is there", undefined],
])("%s: the run ends at the budget, exit code 4", async (_what, answers) => {
  const { stage, end, asked, channel } = await start({ answers, script: [call(1), call(2), call(3)] });
  expect(end).toMatchObject({ outcome: "budget", exitCode: 4, failedAt: "work" });
  expect(stage.engine.requests).toHaveLength(3);
  expect(asked).toHaveLength(answers?.length ?? 0);
  expect(channel.pendingMail.map((mail) => mail.text)).toEqual(answers?.[1] ? [answers[1]] : []); // unclear words are not lost
});

test("a raised limit holds at the next start that names the same limit, and what was spent before counts", async () => {
  const folder = newFolder();
  const first = await start({ folder, answers: ["$2", "stop"], script: [call(1), call(2), call(3), call(4), call(5)] });
  expect(first.end).toMatchObject({ outcome: "budget" });
  expect(first.asked).toEqual([expect.stringContaining("of $1.00"), expect.stringContaining("of $2.00")]);
  const second = await start({ folder, answers: ["$2.50"], script: [DONE] });
  expect(second.asked).toEqual([expect.stringContaining("$2.00 of $2.00 are used")]); // before any call
  expect(second.end).toMatchObject({ outcome: "achieved" });
  expect(second.stage.runtime.totalCost()).toBeCloseTo(0.4); // of this process alone
});

test("a start that names another limit is not bound by what was raised", async () => {
  const folder = newFolder();
  await start({ folder, answers: ["$9", "stop"], script: [call(1), call(2), call(3), { ...call(4), usage: { costUsd: 9 } }] });
  const second = await start({ folder, budget: { usd: 5 }, script: [] });
  expect(second.end).toMatchObject({ outcome: "budget" });
  expect(second.stage.tasks("budget").at(-1)?.payload).toMatchObject({ level: "reached", of: 5 });
});

test("a limit of time is asked about in minutes; a raised one holds, words that are no option do not", async () => {
  const budget = { wallMs: 1 };
  expect((await start({ budget, answers: ["2 hours", "hm"], script: [] })).end).toMatchObject({ outcome: "budget", exitCode: 4 });
  const { asked, end } = await start({ budget: { wallMs: 1 }, answers: ["stop"], script: [] });
  expect(asked).toEqual([expect.stringMatching(/[\d.]+ min of 0 min are used/)]);
  expect(end).toMatchObject({ outcome: "budget" });
});

test("what was spent on work that is finished does not count against the next request", async () => {
  const folder = newFolder();
  expect((await start({ folder, script: [call(1), DONE] })).end).toMatchObject({ outcome: "achieved" });
  const stage = openStage([call(2), DONE], { budget: { usd: 1 } }, folder);
  const step = new Step("work", { agent: worker({ tools: [stepTool([])] }), prompt: "work" });
  await stage.run(new Workflow([step], { request: "more work" }));
  expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
});

test("a person is asked once when several steps reach the limit, and a limit in tokens is asked about in tokens", async () => {
  const six = { ...call(1), usage: { inputTokens: 6_000 } };
  const { asked, end } = await start({ budget: { tokens: 20_000 }, answers: ["100k"], script: [six, six, DONE] });
  expect(asked).toEqual([
    expect.stringMatching(/6,000 tokens of 20,000 tokens are used, and the next call could take up to 14,\d+ tokens/),
  ]);
  expect(end).toMatchObject({ outcome: "achieved" });
});

test("with parking, nobody there keeps the run for later; an answer given meanwhile is found", async () => {
  const folder = newFolder();
  const first = await start({ folder, channel: { park: true }, script: [call(1), call(2), call(3)] });
  expect(first.end).toMatchObject({ outcome: "parked", exitCode: 3, failedAt: "work", reason: expect.stringContaining("q1") });
  expect(await answerInStore(first.stage.runtime.books.asksPath, "q1", "up to $3")).toBe(true);
  const second = await start({ folder, channel: { park: true }, script: [DONE] });
  expect(second.end).toMatchObject({ outcome: "achieved", exitCode: 0 });
  expect(second.channel.asks).toMatchObject([{ id: "q1", state: "answered", answer: "up to $3", purpose: "budget" }]);
});

test("at four fifths of a limit it is said once, for each limit", async () => {
  const quarter = (n: number) => call(n, 0.29);
  const { stage } = await start({ answers: ["$4"], script: [1, 2, 3, 4, 5, 6].map(quarter).concat(DONE) });
  const told = stage.tasks("budget").map(({ payload }) => `${payload.level} ${payload.of}`);
  expect(told).toEqual(["warning 1", "reached 1"]);
  const second = await start({ answers: ["$4"], script: [call(1, 0.5), call(2, 0.35), call(3, 0.3), call(4, 2.2), DONE] });
  expect(second.stage.tasks("budget").map(({ payload }) => `${payload.level} ${payload.of}`)).toEqual([
    "warning 1",
    "reached 1",
    "warning 4",
  ]);
});

test("a model without a known price under a limit in dollars is said once, with what to do", async () => {
  const unpriced = (n: number): ScriptedReply => ({ ...steps(n), usage: { inputTokens: 5, costUsd: undefined } });
  const { stage, end } = await start({ script: [unpriced(1), unpriced(2), { text: "done", usage: { costUsd: undefined } }] });
  const notices = stage.tasks("notice").filter(({ payload }) => payload.code === "unpriced-model");
  expect(notices.map((event) => event.text)).toEqual([expect.stringMatching(/scripted-1 is not known.*limit in tokens/)]);
  expect(end).toMatchObject({ outcome: "achieved" });
});
