import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import type { Script, ScriptedReply } from "../../src/engines/scripted.ts";
import { callsOf, textOf } from "../../src/messages/message.ts";
import type { RunOptions, RuntimeOptions } from "../../src/runtime/runtime.ts";
import { tool } from "../../src/tools/tool.ts";
import { type Bench, openBench, worker } from "./bench.ts";

const step = tool({ name: "step", description: "Does one step.", parameters: { type: "object" }, execute: () => "done" });
const DOCUMENT = { doing: "Half of the parser.", next: "The other half.", decided: "No classes.", scene: ["src.ts", "gone.ts"] };

/** A reply that does a step, in a context of so many tokens. Full at 60,000 of 100,000, announced at 50,000. */
const at = (inputTokens: number, extra: ScriptedReply = {}): ScriptedReply => ({
  calls: [{ name: "step" }],
  usage: { inputTokens, outputTokens: 10, costUsd: 0.01 },
  ...extra,
});
const done = (text: string): ScriptedReply => at(1_000, { text, calls: [] });
const handsOver: ScriptedReply = at(65_000, { calls: [{ name: "handoff_document", args: DOCUMENT }] });

function open(script: Script, options: RuntimeOptions = {}): Bench {
  const bench = openBench(script, { contextHandoff: { window: 100_000 }, ...options });
  writeFileSync(join(bench.folder, "src.ts"), "");
  return bench;
}

function run(bench: Bench, options: RunOptions = {}) {
  const label = { step: "work" };
  return bench.finish(bench.runtime.run(worker({ tools: [step] }), "Build the parser.", { label, onEvent: bench.note, ...options }));
}

const lastPrompt = (bench: Bench, call: number) =>
  textOf(bench.engine.requests[call]!.messages.findLast((message) => message.role === "user")!);
const phases = (bench: Bench) => bench.of("handoff").map(({ payload }) => payload.phase);
const handoffFile = (bench: Bench) => readFileSync(bench.runtime.workbench.handoffPath("work"), "utf8");

describe("a session whose context is full", () => {
  it("writes its document, and a fresh one takes over with it", async () => {
    const bench = open([at(10_000), at(50_000), at(61_000), handsOver, done("built")]);
    const result = await run(bench);
    expect(result).toMatchObject({ ok: true, text: "built", attempts: 1, errors: [], numIterations: 5, context: 65_000 });
    expect(result.retired).toHaveLength(1);
    expect(result.retired).not.toContain(result.sessionId);
    expect(result.costUsd).toBeCloseTo(0.05);
    expect(phases(bench)).toEqual(["near", "writing", "done"]);
    expect(bench.of("handoff").at(-1)?.payload).toMatchObject({ degraded: false, sections: ["Doing", "Decided", "Next", "Scene"] });
    expect(handoffFile(bench)).toContain("- src.ts\n- gone.ts (not there)");
  });

  it("gives the next one the task and its document verbatim, and nothing of the conversation", async () => {
    const bench = open([at(61_000), handsOver, done("built")].toSpliced(0, 0, at(10_000)));
    await run(bench);
    const { messages } = bench.engine.requests[3]!;
    expect(messages).toHaveLength(1);
    expect(lastPrompt(bench, 3)).toContain("# The task\n\nBuild the parser.");
    expect(lastPrompt(bench, 3)).toContain(handoffFile(bench).trim());
  });

  it("keeps its request's beginning while it writes, so that the provider's cache still holds", async () => {
    const bench = open([at(10_000), at(61_000), handsOver, done("built")]);
    await run(bench);
    const [, work, writing] = bench.engine.requests;
    expect(writing!.instructions).toBe(work!.instructions);
    expect(writing!.tools).toEqual(work!.tools);
    expect(writing!.messages.slice(0, work!.messages.length)).toEqual(work!.messages);
  });

  it("does nothing else any more", async () => {
    const bench = open([at(10_000), at(61_000), at(62_000), handsOver, done("built")]);
    await run(bench);
    const results = bench.of("tool_result").map(({ text, payload }) => (payload.isError ? text : "ok"));
    expect(results[2]).toContain("only handoff_document can be called now");
  });

  it("may also write it as Markdown, and is told once what is missing", async () => {
    const markdown = done("## Doing\n\nHalf of it.\n\n## Next\n\nThe rest.");
    const bench = open([at(10_000), at(61_000), done("## Doing\n\nHalf of it."), markdown, done("built")]);
    expect(await run(bench)).toMatchObject({ ok: true, text: "built" });
    expect(lastPrompt(bench, 3)).toContain("The document lacks next.");
    expect(bench.of("handoff").at(-1)?.payload).toMatchObject({ degraded: false, sections: ["Doing", "Next"] });
  });

  it("that cannot write it gets one by machine, marked as such, and the work goes on", async () => {
    const bench = open([at(10_000), at(61_000), done("no"), done("still no"), done("built")]);
    expect(await run(bench)).toMatchObject({ ok: true, text: "built" });
    expect(bench.of("handoff").at(-1)?.payload).toMatchObject({ degraded: true });
    expect(handoffFile(bench)).toContain("assembled by machine");
    expect(handoffFile(bench)).toMatch(/^> Build the parser\.\n\nThe last tool calls:\n\n- step\n- step/m);
  });

  it("tries again once when the network fails while it writes", async () => {
    const offline = new FlowerError("overloaded", "Too busy.", { retryable: true });
    const bench = open([at(10_000), at(61_000), offline, handsOver, done("built")]);
    expect(await run(bench)).toMatchObject({ ok: true, text: "built", attempts: 1 });
    expect(bench.of("handoff").at(-1)?.payload).toMatchObject({ degraded: false });
    const twice = open([at(10_000), at(61_000), offline, offline, done("built")]);
    expect(await run(twice)).toMatchObject({ ok: true, text: "built" });
    expect(twice.of("handoff").at(-1)?.payload).toMatchObject({ degraded: true });
  });

  it("that the provider refuses is not asked for a document: there is no room for one", async () => {
    const overflow = new FlowerError("context-overflow", "Too long.");
    const bench = open([at(10_000), at(30_000), overflow, done("built")]);
    expect(await run(bench)).toMatchObject({ ok: true, text: "built", attempts: 1 });
    expect(bench.of("handoff").at(-1)?.payload).toMatchObject({ degraded: true, window: 30_000 });
  });

  it("hands on what the person said, in whatever phase", async () => {
    const bench: Bench = open([
      at(10_000),
      () => {
        void bench.runtime.interrupt("not in Perl");
        return at(61_000);
      },
      at(61_500),
      () => {
        void bench.runtime.interrupt("and with tests");
        return handsOver;
      },
      done("built"),
    ]);
    await run(bench);
    const prompt = lastPrompt(bench, bench.engine.requests.length - 1);
    expect(prompt).toContain("not in Perl");
    expect(prompt).toContain("and with tests");
  });

  it("is known by its name before the calls of its first reply are made, so that a kill among them is no reason to hand over again", async () => {
    const known: string[] = [];
    const seen: string[] = [];
    const look = tool({
      ...step,
      parameters: { type: "object" },
      execute: (_args, { sessionId }) => `${seen.push(`${sessionId} ${known.at(-1)}`)}`,
    });
    const bench = open([at(10_000), at(61_000), handsOver, at(1_000), done("built")]);
    const onSession = (sessionId: string, hasPrompt: boolean) => void (hasPrompt && known.push(sessionId));
    const result = await bench.finish(bench.runtime.run(worker({ tools: [look] }), "Build.", { onSession }));
    expect(result).toMatchObject({ ok: true, retired: [expect.any(String)] });
    const [first] = result.retired;
    const ids = [first, first, result.sessionId];
    expect(seen).toEqual(ids.map((id) => `${id} ${id}`));
  });

  it("keeps the document before it in the archive", async () => {
    const bench = open([at(10_000), at(61_000), handsOver, at(10_000), at(61_000), handsOver, done("built")]);
    const result = await run(bench);
    expect(result.retired).toHaveLength(2);
    const archive = join(bench.runtime.workbench.notes, "archive");
    expect(readdirSync(archive, { recursive: true }).filter((name) => String(name).endsWith("handoff-work.md"))).toHaveLength(1);
  });

  it("is given an edit that a person makes to goal and brief meanwhile", async () => {
    const bench: Bench = open([
      at(10_000),
      at(61_000),
      () => {
        writeFileSync(bench.runtime.workbench.ensure().goalPath(), "# Goal\n\nA parser with tests.\n");
        return handsOver;
      },
      done("built"),
    ]);
    await run(bench);
    expect(lastPrompt(bench, 3)).toContain("A parser with tests.");
  });
});

describe("a context that never fits", () => {
  it("ends the step after two model calls, with advice", async () => {
    const bench = open([at(70_000), at(71_000)]);
    expect(await run(bench)).toMatchObject({ ok: false, errorKind: "context-floor-exceeded", numIterations: 2 });
    expect(bench.engine.requests).toHaveLength(2);
  });

  it("and a model that twice cannot write end the step, with advice", async () => {
    const bad = [at(10_000), at(61_000), done("no"), done("no")];
    const bench = open([...bad, ...bad]);
    const result = await run(bench);
    expect(result).toMatchObject({ ok: false, errorKind: "context-overflow" });
    expect(result.error).toContain("contextHandoff.headroom");
  });

  it("ends the step when handing over is switched off", async () => {
    const bench = open([at(10_000), at(99_000), new FlowerError("context-overflow", "Too long.")], { contextHandoff: false });
    expect(await run(bench)).toMatchObject({ ok: false, errorKind: "context-overflow" });
    expect(bench.engine.requests[0]!.tools.map(({ name }) => name)).toEqual(["step"]);
  });
});

it("the document tool does nothing while nobody asks for a document", async () => {
  const bench = open([{ calls: [{ name: "handoff_document", args: DOCUMENT }] }, done("built")]);
  expect(await run(bench)).toMatchObject({ ok: true, retired: [] });
  expect(bench.of("tool_result")[0]?.text).toContain("Not now");
  expect(callsOf(bench.engine.requests[1]!.messages[1]!)).toHaveLength(1);
});

it.each([32_000, 100_000, 200_000, 1_000_000])("a window of %i is used up to its line, not beyond", async (window) => {
  const line = window - Math.max(0.25 * window, Math.min(50_000, 0.4 * window));
  const script = [
    at(1_000),
    at(line - 1),
    at(line),
    at(line + 1, { calls: [{ name: "handoff_document", args: DOCUMENT }] }),
    done("built"),
  ];
  const bench = open(script, { contextHandoff: { window } });
  expect((await run(bench)).retired).toHaveLength(1);
  expect(bench.engine.requests).toHaveLength(5);
});
