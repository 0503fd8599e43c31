import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { answerInStore } from "../../src/human/ask-store.ts";
import type { HumanChannel } from "../../src/human/channel.ts";
import { worker as workerRole } from "../../src/runtime/roles.ts";
import { Step } from "../../src/workflow/step.ts";
import { withGoal } from "../../src/workflow/with-goal.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { goalFile, handIn, verdict } from "./lines.ts";
import type { Cast } from "./stage.ts";
import { type StartOptions, startOnce } from "./starts.ts";

const ASK = { calls: [{ name: "mcp__human__ask", args: { question: "Tabs?" } }] };
const PUSH = { calls: [{ name: "Bash", args: { command: "git push origin main" } }] };
const unreachable = handIn(verdict(["failed"], { impossible: "no X here" }));

interface Case {
  readonly name: string;
  readonly flow: StartOptions["flow"];
  /** Until the question waits. */
  readonly first: Cast;
  /** After it was answered with `answer`. */
  readonly after: Cast;
  readonly answer: string;
  /** What the model reads of the answer, in the second process. */
  readonly reads: RegExp;
  readonly blocks: boolean;
}

function judged(channel: HumanChannel, folder: string): Workflow {
  const goalPath = join(folder, "goal.md");
  const step = new Step("work", { agent: worker(), prompt: "say hello" });
  return new Workflow([withGoal(step, channel, { goalPath })], { channel, request: "hello" });
}

const plain =
  (agent: (channel: HumanChannel) => ReturnType<typeof worker>): StartOptions["flow"] =>
  (channel) =>
    new Workflow([new Step("work", { agent: agent(channel), prompt: "work" })], { channel, request: "hello" });

const cases: readonly Case[] = [
  {
    name: "the model's question",
    flow: plain((channel) => worker({ tools: channel.tools })),
    first: { worker: [ASK] },
    after: { worker: ["Tabs it is."] },
    answer: "yes",
    reads: /The person answered after .*yes/s,
    blocks: false,
  },
  {
    name: "a permission",
    flow: plain(() => workerRole()),
    first: { worker: [PUSH] },
    after: { worker: ["I could not push."] },
    answer: "No",
    reads: /A person refused this call/,
    blocks: true,
  },
  {
    name: "a goal that cannot be reached",
    flow: judged,
    first: { worker: ["report"], judge: unreachable },
    after: { worker: ["better"], judge: handIn(verdict(["passed"])) },
    answer: "X is in /opt, look again",
    reads: /The person says:\n\nX is in \/opt, look again/,
    blocks: true,
  },
];

async function folderWithGoal(): Promise<string> {
  const folder = newFolder();
  await writeFile(join(folder, "goal.md"), goalFile("it says hello"));
  return folder;
}

const heard = (start: Awaited<ReturnType<typeof startOnce>>) => JSON.stringify(start.stage.requests("worker")[0]?.messages);

describe.each(cases)("$name", ({ flow, first, after, answer, reads, blocks }) => {
  test.each(["abort", "close"] as const)("put off by an %s of the process: it comes back with its number", async (how) => {
    const folder = await folderWithGoal();
    const one = await startOnce({
      folder,
      flow,
      cast: first,
      onQuestion: (_id, { stage }) => {
        if (how === "abort") stage.runtime.abort(new FlowerError("aborted", "Stopped by the person."));
        else void stage.runtime.close();
      },
    });
    expect(one.end).toMatchObject({ outcome: "interrupted", exitCode: 130 });
    expect(one.asked).toEqual(["q1 asked"]);
    const two = await startOnce({ folder, flow, cast: after, onQuestion: (id, { channel }) => void channel.answer(id, answer) });
    expect(two.end).toMatchObject({ outcome: "achieved" });
    expect(two.asked).toEqual(["q1 asked", "q1 answered"]);
    expect(heard(two).replaceAll("\\n", "\n")).toMatch(reads);
  });

  test("put off, and answered while no process lives: the next start finds the answer", async () => {
    const folder = await folderWithGoal();
    const one = await startOnce({ folder, flow, cast: first, onQuestion: (_id, { stage }) => stage.runtime.abort() });
    expect(await answerInStore(one.stage.runtime.books.asksPath, "q1", answer)).toBe(true);
    const two = await startOnce({ folder, flow, cast: after });
    expect(two.asked).toEqual(["q1 answered"]);
    expect(heard(two).replaceAll("\\n", "\n")).toMatch(reads);
  });

  test("settled before the process goes: it does not come back", async () => {
    const folder = await folderWithGoal();
    await startOnce({
      folder,
      flow,
      cast: first,
      onQuestion: (id, { stage, channel }) => {
        channel.answer(id, answer);
        stage.runtime.abort();
      },
    });
    const two = await startOnce({ folder, flow, cast: after });
    expect(two.asked).toEqual([]);
    expect(two.end).toMatchObject({ outcome: "achieved" });
    expect(heard(two).replaceAll("\\n", "\n")).toMatch(reads);
  });

  test.runIf(blocks).each([0, 20])(
    "with parking, out of time after %d ms: the run parks, and the next start goes on",
    async (timeoutMs) => {
      const folder = await folderWithGoal();
      const one = await startOnce({ folder, flow, cast: first, channel: { park: true, timeoutMs } });
      expect(one.end).toMatchObject({ outcome: "parked", exitCode: 3, failedAt: "work", reason: expect.stringContaining("q1") });
      expect(one.asked).toEqual(["q1 asked"]);
      expect((await one.stage.lineage())["workflow"]).toMatchObject({ outcome: "parked" });
      const two = await startOnce({ folder, flow, cast: {}, channel: { park: true, timeoutMs } });
      expect(two.end).toMatchObject({ outcome: "parked", exitCode: 3 });
      expect(two.stage.engine.requests).toEqual([]); // waiting costs nothing
      expect(await answerInStore(one.stage.runtime.books.asksPath, "q1", answer)).toBe(true); // also by the first run's address
      const three = await startOnce({ folder, flow, cast: after, channel: { park: true, timeoutMs } });
      expect(three.asked).toEqual(["q1 answered"]);
      expect(three.end).toMatchObject({ outcome: "achieved" });
      expect(heard(three).replaceAll("\\n", "\n")).toMatch(reads);
    },
  );
});

test("a question that a run was parked for waits its whole time again, also without parking", async () => {
  const folder = await folderWithGoal();
  await startOnce({ folder, flow: judged, cast: { worker: ["report"], judge: unreachable }, channel: { park: true, timeoutMs: 1 } });
  const two = await startOnce({
    folder,
    flow: judged,
    cast: {},
    channel: { timeoutMs: 60_000 },
    onQuestion: (id, { channel }) => void channel.answer(id, "Accept this result and go on"),
  });
  expect(two.asked).toEqual(["q1 asked", "q1 answered"]);
  expect(two.end).toMatchObject({ outcome: "achieved" });
});

test("parking leaves the model's own questions alone: out of time they get the fixed text", async () => {
  const { flow, after } = cases[0] as Case;
  const start = await startOnce({ flow, cast: { worker: [ASK, ...(after.worker ?? [])] }, channel: { park: true, timeoutMs: 0 } });
  expect(start.asked).toEqual(["q1 timeout"]);
  expect(start.end).toMatchObject({ outcome: "achieved" });
});

test("without parking nobody there denies a permission with a text and stops at an unreachable goal", async () => {
  const [, permission, goal] = cases as readonly [Case, Case, Case];
  const denied = await startOnce({
    flow: permission.flow,
    cast: { worker: [PUSH, "I could not push."] },
    channel: { timeoutMs: 0 },
  });
  expect(denied.end).toMatchObject({ outcome: "achieved" });
  expect(denied.stage.of("tool_result")[0]?.text).toContain("nobody is there to give it");
  const stopped = await startOnce({ folder: await folderWithGoal(), flow: goal.flow, cast: goal.first, channel: { timeoutMs: 0 } });
  expect(stopped.end).toMatchObject({ outcome: "failed", exitCode: 1 });
});
