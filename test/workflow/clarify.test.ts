import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedCall, ScriptedStep } from "../../src/engines/scripted.ts";
import { HumanChannel } from "../../src/human/channel.ts";
import { resultText } from "../../src/messages/message.ts";
import { briefToMarkdown, parseBrief } from "../../src/workbench/brief.ts";
import { type ClarifyOptions, clarifyStep } from "../../src/workflow/clarify.ts";
import { briefOf, failedAt, resultsOf } from "../../src/workflow/ctx.ts";
import { Workflow } from "../../src/workflow/workflow.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { BRIEF, brief, handIn, OK } from "./lines.ts";
import { openStage, type Stage } from "./stage.ts";

interface Setting {
  readonly stage: Stage;
  readonly workflow: Workflow;
  readonly channel: HumanChannel;
  readonly path: string;
}

function set(clarifier: readonly ScriptedStep[], options: Partial<ClarifyOptions> = {}): Setting {
  const folder = newFolder();
  const path = join(folder, "brief.md");
  const channel = new HumanChannel({ timeoutMs: 0, amendPath: path });
  const step = clarifyStep(channel, { briefPath: path, prompt: "make a greeting", ...options });
  return { stage: openStage({ clarifier }, {}, folder), workflow: new Workflow([step], { channel }), channel, path };
}

const read = async (path: string) => parseBrief(await readFile(path, "utf8"));

test("a brief that the tool has accepted is frozen; only its four sections go on, never the dialogue", async () => {
  const { stage, workflow, path } = set([{ text: "I look first.", calls: [{ name: "Glob", args: { pattern: "*" } }] }, ...handIn(brief())]);
  const ctx = await stage.run(workflow);
  expect((await read(path)).brief).toEqual(BRIEF);
  expect(briefOf(ctx)).toEqual(BRIEF);
  expect(ctx["clarify"]).toBe(briefToMarkdown(BRIEF, "en"));
  expect(String(ctx["clarify"])).not.toContain("I look first");
});

test("a brief with an empty section is not accepted; the model is told which, and can mend it in the same run", async () => {
  const { stage, workflow } = set([brief({ unknowns: " ", criteria: "" }), ...handIn(brief())]);
  const ctx = await stage.run(workflow);
  const [part] = stage.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  expect(part?.type === "result" && part.isError && resultText(part.content)).toMatch(
    /Not accepted: "criteria" is empty; "unknowns" is empty/,
  );
  expect(briefOf(ctx)).toEqual(BRIEF);
  expect(resultsOf(ctx)).toHaveLength(1);
});

test.each([["zh"], ["pt"], ["en"]] as const)(
  "a brief written out in Markdown (%s) counts as well, and is frozen in the workflow's language",
  async (language) => {
    const { stage, workflow, path } = set([`Here it is.\n\n${briefToMarkdown(BRIEF, language)}`]);
    const ctx = await stage.run(workflow);
    expect(briefOf(ctx)).toEqual(BRIEF);
    expect(await readFile(path, "utf8")).toBe(briefToMarkdown(BRIEF, "en"));
  },
);

test("missing sections are asked for once more, by name, in the same session", async () => {
  const { stage, workflow } = set(["## Goal\n\nA greeting.\n\n## Boundaries\n\nNone.", ...handIn(brief())]);
  const ctx = await stage.run(workflow);
  expect(stage.prompt("clarifier", 1)).toMatch(/missing in your answer: criteria, unknowns\./);
  const [first, second] = resultsOf(ctx);
  expect(second?.sessionId).toBe(first?.sessionId);
  expect(second?.step).toBe("clarify#round2");
  expect(failedAt(ctx)).toBeUndefined();
});

test("a clarifier that hands in nothing twice has failed, and nothing is frozen", async () => {
  const { stage, workflow, path } = set(["hm", "hm again"]);
  expect(failedAt(await stage.run(workflow))).toBe("clarify");
  await expect(readFile(path)).rejects.toThrow();
});

test("a complete brief that is there already skips the step and fills ctx", async () => {
  const { stage, workflow, path } = set([]);
  await writeFile(path, briefToMarkdown(BRIEF, "pt"));
  const ctx = await stage.run(workflow);
  expect(stage.engine.requests).toEqual([]);
  expect(briefOf(ctx)).toEqual(BRIEF);
  expect(ctx["clarify"]).toContain("A file greeting.txt.");
  expect(stage.of("step")[0]?.payload.skipped).toBe(true);
});

test.each<[string, string, Partial<ClarifyOptions>]>([
  ["a brief without one of its sections", "## Goal\n\nA greeting.\n", {}],
  ["a whole brief, when it is to be asked anyway", briefToMarkdown(BRIEF, "en"), { alwaysAsk: true }],
])("%s does not skip the step", async (_what, content, options) => {
  const { stage, workflow, path } = set([...handIn(brief({ goal: "Anew." }))], options);
  await writeFile(path, content);
  expect(briefOf(await stage.run(workflow))?.goal).toBe("Anew.");
});

test("what a person said while the brief was being written is kept when it is frozen", async () => {
  const speak: ScriptedStep = async () => {
    await channel.send("in capital letters, please");
    return brief();
  };
  const { stage, workflow, channel, path } = set([speak, OK]);
  await stage.run(workflow);
  const { brief: frozen, amendments } = await read(path);
  expect(frozen).toEqual(BRIEF);
  expect(amendments).toContain("> in capital letters, please");
});

test("with nobody there a question gets the fixed text, and the step goes on", async () => {
  const ask = { calls: [{ name: "mcp__human__ask", args: { question: "Which language?" } }] };
  const { stage, workflow } = set([ask, ...handIn(brief())]);
  expect(failedAt(await stage.run(workflow))).toBeUndefined();
  const [part] = stage.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  expect(part?.type === "result" && resultText(part.content)).toMatch(/^Nobody answered\. .*“Unknowns and assumptions”/);
});

test("the clarifier cannot work: what would write or run is denied", async () => {
  const calls: readonly ScriptedCall[] = [
    { name: "Write", args: { file_path: "greeting.txt", content: "hello" } },
    { name: "Bash", args: { command: "echo hello > greeting.txt" } },
  ];
  const { stage, workflow } = set([{ calls }, ...handIn(brief())]);
  await stage.run(workflow);
  const results = stage.engine.requests[1]?.messages.at(-1)?.parts ?? [];
  expect(results.every((part) => part.type === "result" && part.isError)).toBe(true);
  await expect(readFile(join(stage.folder, "greeting.txt"))).rejects.toThrow();
});

test("an agent of the user's own gets the tool to hand the brief in", async () => {
  const { stage, workflow } = set([...handIn(brief())], { agent: worker({ name: "mine" }) });
  expect(briefOf(await stage.run(workflow))).toEqual(BRIEF);
});
