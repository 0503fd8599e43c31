import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { ScriptedReply, ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { textOf } from "../../src/messages/message.ts";
import { briefToMarkdown } from "../../src/workbench/brief.ts";
import { goalToMarkdown } from "../../src/workbench/goal-document.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { failedAt, resultsOf } from "../../src/workflow/ctx.ts";
import { Step } from "../../src/workflow/step.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { BRIEF } from "./lines.ts";
import { openStage, type Stage } from "./stage.ts";

/** A reply in a context of so many tokens. Full at 60,000 of 100,000. */
const at = (inputTokens: number, name = "nothing", args = {}): ScriptedReply => ({ calls: [{ name, args }], usage: { inputTokens } });
const HANDS_OVER = at(62_000, "handoff_document", { doing: "Half of the parser.", next: "The other half." });
const GONE = new FlowerError("auth", "bad key");
const done: ScriptedReply = { text: "built", usage: { inputTokens: 1_000 } };

const workflow = () => {
  let asked = 0;
  const gate = () => asked++ > 0;
  const step = new Step("work", {
    agent: worker(),
    prompt: "Build the parser.",
    retries: 1,
    gate,
    onReject: () => "The tests are missing.",
  });
  return new Workflow([step], { request: "a parser" });
};

/** A process that ends when the document lies there and the session that takes over has not begun. */
async function endsBetween(before: readonly ScriptedStep[]) {
  const stage = openStage([...before, at(10_000), at(61_000), HANDS_OVER, GONE], { contextHandoff: { window: 100_000 } });
  expect(failedAt(await stage.run(workflow()))).toBe("work");
  await stage.runtime.close();
  return { stage, path: stage.runtime.workbench.handoffPath("work") };
}

/** The next process. Its gate passes at the second asking. */
async function next(stage: Stage, rounds: number) {
  const again = stage.again([at(1_000), ...Array.from({ length: rounds }, () => done)]);
  const ctx = await again.run(workflow());
  expect(failedAt(ctx)).toBeUndefined();
  return { again, ctx, first: again.engine.requests[0]?.messages ?? [] };
}

test("a document that a person edits before the next session has begun reaches it, also in another process, and is not written twice", async () => {
  const { stage, path } = await endsBetween([]);
  const text = await readFile(path, "utf8");
  expect(text).toContain("The other half.");
  await writeFile(path, text.replace("The other half.", "Only the tests: I wrote the other half."));
  const { again, ctx, first } = await next(stage, 2);
  expect(first).toHaveLength(1);
  const told = textOf(first[0]!);
  for (const words of ["You are taking over", "Build the parser.", "Only the tests: I wrote the other half."])
    expect(told).toContain(words);
  expect(again.of("handoff")).toEqual([]);
  const [full, went] = [(await stage.manifest())[0], resultsOf(ctx)[0]];
  expect(went?.retired).toEqual(full?.retired);
  expect((await again.lineage())["workflow"]?.steps["work"]).toMatchObject({ finished: true, sessionId: went?.sessionId });
  expect((await again.lineage())["workflow"]?.steps["work"]).not.toHaveProperty("handedOver");
});

test("what the work was sent back with is told to the session that takes over, in another process too", async () => {
  const { stage } = await endsBetween([{ ...done, text: "half" }]);
  const { first } = await next(stage, 2);
  expect(first).toHaveLength(1);
  expect(textOf(first[0]!)).toContain("The tests are missing.");
});

test("without its document the session that was full goes on", async () => {
  const { stage, path } = await endsBetween([]);
  await rm(path);
  const { first } = await next(stage, 2);
  expect(first.length).toBeGreaterThan(1);
  expect(textOf(first[0]!)).toBe("Build the parser.");
});

test.each([
  ["en", "work", "handoff-work.md"],
  ["zh", "干活", "交接-干活.md"],
  ["pt", "trabalho", "passagem-trabalho.md"],
] as const)(
  "the session that takes over is told brief, goal, later words and open questions, word for word (%s)",
  async (language, name, file) => {
    const folder = newFolder();
    const workbench = new Workbench(folder, { language }).ensure();
    const channel = new HumanChannel({ timeoutMs: null, language, amendPath: workbench.briefPath() });
    onTestFinished(() => channel.close());
    await writeFile(workbench.briefPath(), briefToMarkdown(BRIEF, language));
    await writeFile(workbench.goalPath(), goalToMarkdown({ statement: "all of it", checks: [{ text: "it parses" }] }, language));
    const speaking: ScriptedStep = async () => {
      await channel.send("and no regular expressions");
      void channel.ask("Which grammar?", { purpose: "model" });
      return at(61_000);
    };
    const stage = openStage([speaking, HANDS_OVER, done, done], { workbench, language, contextHandoff: { window: 100_000 } }, folder);
    const step = new Step(name, { agent: worker(), prompt: "Build the parser." });
    await stage.run(new Workflow([step], { channel, workbench, request: "a parser" }));
    const told =
      stage.engine.requests.map(({ messages }) => textOf(messages[0]!)).find((text) => text.startsWith("You are taking over")) ?? "";
    const frozen = [await readFile(workbench.briefPath(), "utf8"), await readFile(workbench.goalPath(), "utf8")];
    expect(frozen[0]).toContain("> and no regular expressions");
    for (const words of [...frozen, "# Questions that wait for the person\n\n- Which grammar?", file]) expect(told).toContain(words.trim());
    expect(told).toContain((await readFile(stage.runtime.workbench.handoffPath(name), "utf8")).trim());
  },
);
