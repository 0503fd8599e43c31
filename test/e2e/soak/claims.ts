import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { costOf } from "../../../src/engines/prices.ts";
import type { EventPayloads } from "../../../src/messages/event.ts";
import { INTERRUPTED_RESULT } from "../../../src/messages/history.ts";
import { resultText } from "../../../src/messages/message.ts";
import { earlierSpending } from "../../../src/workflow/earlier-spending.ts";
import { ANSWER, COUNT, EDIT_EVERY, GOAL, INTERRUPTS, PUSH_AT, RECORD_EVERY, WORDS } from "./plan.ts";
import type { SoakJob } from "./soak-job.ts";
import type { WireCall } from "./wire-model.ts";

const NUMBERS = Array.from({ length: COUNT }, (_, index) => index + 1);

/** What every session of the work begins with: the goal and its checklist, word for word. */
export function expectGoalInEachGeneration(job: SoakJob): void {
  const first = job.model.calls.filter(({ view }) => view.role === "worker" && view.replies === 0);
  expect(first.length).toBeGreaterThan(6);
  for (const { view } of first) {
    const text = view.texts.join("\n");
    expect(text).toContain(GOAL.statement);
    for (const check of GOAL.checks) {
      expect(text).toContain(check.text);
      if ("command" in check) expect(text).toContain(check.command);
    }
  }
}

/** In the record for people, and before the eyes of those whom they concern. */
export async function expectEveryWordHeard({ books, model }: SoakJob): Promise<void> {
  const heard = (role: string) => textsOf(model.calls.filter(({ view }) => view.role === role));
  const [brief, goal, questions] = await Promise.all(["brief.md", "goal.md", "questions.md"].map((name) => books.note(name)));
  expect(questions).toContain(ANSWER);
  expect(heard("clarifier")).toContain(ANSWER);
  for (const words of INTERRUPTS) expect(model.calls.some(({ view }) => isTold(view, words))).toBe(true);
  for (const words of WORDS) {
    expect(brief).toContain(`> ${words}`);
    expect(goal).toContain(words);
    expect(heard("worker")).toContain(words);
    expect(heard("judge")).toContain(words);
  }
}

/** To the billionth of a dollar: what the model's own log adds up to, what the books say, and what a person is told. */
export async function expectCostsAgree({ books, model, tell }: SoakJob): Promise<void> {
  const delivered = model.calls.filter((call) => call.delivered);
  const costs = await Promise.all(delivered.map(priceOf));
  const runs = await books.runs();
  const spent = await earlierSpending(
    runs
      .map((run) => join(books.runDir, run, "events.jsonl"))
      .toReversed()
      .slice(1),
  );
  const rows = await books.manifest();
  const last = total(rows.filter((row) => row.run === runs.at(-1)).map((row) => row.costUsd));
  expect(total(spent.map(({ usage }) => usage.costUsd)) + last).toBeCloseTo(total(costs), 9);
  const state = JSON.parse((await tell("status", "--json")).stdout);
  expect(state).toMatchObject({ costComplete: true, costUsd: expect.closeTo(last, 9) });
}

/** Each number once and in its order, whatever was under way at a kill; the same of files, edits, commits and what was published. */
export async function expectEachEffectOnce(job: SoakJob, cutCommands: number): Promise<void> {
  const { folder, published, books } = job;
  expect(await unknownResults(job)).toBe(cutCommands);
  expect(await books.read("numbers.txt")).toBe(`${NUMBERS.join("\n")}\n`);
  expect(await books.read("ledger.md")).toBe(`total ${COUNT}\n`);
  expect(await books.read("finis.txt")).toBe("finis\n");
  expect(readdirSync(join(folder, "parts")).sort()).toEqual(
    every(EDIT_EVERY)
      .map((number) => `${number}.md`)
      .sort(),
  );
  const commits = (repository: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", repository, "log", "--reverse", "--format=%s", ...args], { encoding: "utf8" })
      .trim()
      .split("\n");
  const expected = ["begin", ...every(RECORD_EVERY).map(String)];
  expect(commits(folder)).toEqual(expected);
  expect(commits(published, "main")).toEqual(expected.filter((subject) => subject === "begin" || Number(subject) < PUSH_AT));
}

/** Sessions took over from each other, each from one that had ended; none of it, and nothing that a person said, was an attempt. */
export async function expectBooksOfSessions({ books }: SoakJob): Promise<void> {
  const handoffs = await payloadsOf(books, "handoff");
  const done = handoffs.filter(({ payload }) => payload.phase === "done");
  expect(done.length).toBeGreaterThanOrEqual(6);
  expect(done.filter(({ payload }) => "degraded" in payload && payload.degraded)).toEqual([]);
  const sessions = await books.sessions();
  expect(sessions.filter(({ history }) => history.some((message) => message.agent === "worker"))).toHaveLength(done.length + 1);
  const retries = await payloadsOf(books, "retry");
  for (const row of await books.manifest()) {
    const own = retries.filter(({ run, payload }) => run === row.run && payload.step === row.step);
    expect(row.attempts).toBe(1 + own.filter(({ payload }) => payload.reason !== "offline" && payload.reason !== "online").length);
    expect(row.retired).toHaveLength(row.step === "work" ? done.filter(({ run }) => run === row.run).length : 0);
  }
}

/** The network went and came back, and nobody had to do anything about it. */
export async function expectLossesSurvived(
  { books }: SoakJob,
  losses: { readonly out: number; readonly brokenOff: number },
): Promise<void> {
  const reasons = (await payloadsOf(books, "retry")).map(({ payload }) => payload.reason);
  const counted = reasons.filter((reason) => reason !== "offline" && reason !== "online");
  expect(reasons.filter((reason) => reason === "offline")).toHaveLength(losses.out);
  expect(reasons.filter((reason) => reason === "online")).toHaveLength(losses.out);
  expect(counted).toHaveLength(losses.brokenOff);
}

/** No file is broken, no lock and no process is left. */
export async function expectNothingLeft({ books, folder }: SoakJob): Promise<void> {
  await books.expectWhole();
  expect(await books.end()).toMatchObject({ outcome: "achieved", exitCode: 0 });
  expect((await books.lineage()).outcome).toBe("achieved");
  const names = readdirSync(books.runDir, { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => name.endsWith(".lock") || name.includes(".new") || name.endsWith("-journal"))).toEqual([]);
  expect(processesIn(folder)).toEqual([]);
}

/** By a prompt of its own, not with the documents that a session is given which takes over. */
function isTold({ role, prompt }: WireCall["view"], words: string): boolean {
  return role === "worker" && prompt.includes(`\n${words}`) && !prompt.startsWith("You are taking over");
}

function every(step: number): readonly number[] {
  return NUMBERS.filter((number) => number % step === 0);
}

function textsOf(calls: readonly WireCall[]): string {
  return calls.flatMap(({ view }) => view.texts).join("\n");
}

function total(costs: readonly (number | undefined)[]): number {
  expect(costs).not.toContain(undefined);
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

function priceOf({ usage }: WireCall): Promise<number | undefined> {
  const cached = usage.prompt_tokens_details.cached_tokens;
  const tokens = {
    inputTokens: usage.prompt_tokens - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: usage.completion_tokens,
  };
  return costOf("openai", "gpt-4o", tokens);
}

async function payloadsOf<K extends "handoff" | "retry">(books: SoakJob["books"], kind: K) {
  const found = await Promise.all(
    (await books.runs()).map(async (run) => (await books.payloads(kind, run)).map((payload) => ({ run, payload }))),
  );
  return found.flat() as readonly { readonly run: string; readonly payload: EventPayloads[K] }[];
}

/** Calls of which the model was told that nobody knows what came of them. */
async function unknownResults({ books }: SoakJob): Promise<number> {
  const parts = (await books.sessions()).flatMap(({ history }) => history.flatMap((message) => message.parts));
  return parts.filter((part) => part.type === "result" && resultText(part.content) === INTERRUPTED_RESULT).length;
}

/** Ids of processes that stand in the folder, where the system tells. */
function processesIn(folder: string): readonly string[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // gone, or not ours
    }
  });
}
