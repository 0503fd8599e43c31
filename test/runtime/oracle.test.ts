import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Backend } from "../../src/backends/backend.ts";
import { FlowerError } from "../../src/core/errors.ts";
import { type RecordedRequest, type ScriptedAnswer, ScriptedEngine, type ScriptedReply } from "../../src/engines/scripted.ts";
import { type Event, makeEvent } from "../../src/messages/event.ts";
import { resultText, textOf } from "../../src/messages/message.ts";
import type { ManifestRow } from "../../src/workbench/manifest.ts";
import { type Bench, openBench, worker } from "./bench.ts";

function isOracle(request: RecordedRequest): boolean {
  return request.instructions.includes("You are the oracle");
}

/** The oracle's first prompt of a bench. */
function material(bench: Bench): string {
  return textOf(bench.engine.requests.find(isOracle)?.messages[0] ?? { parts: [] });
}

function price(text: string, costUsd: number): ScriptedReply {
  return { text, usage: { costUsd, outputTokens: 1 } };
}

async function rowsOf(path: string): Promise<readonly ManifestRow[]> {
  return JSON.parse(await readFile(path, "utf8")) as ManifestRow[];
}

test("two questions during a run: answers come while it works, its manifest stays byte for byte, and the costs are apart", async () => {
  let release = () => {};
  const asked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let working = () => {};
  const atWork = new Promise<void>((resolve) => {
    working = resolve;
  });
  let steps = 0;
  const bench = openBench(async (request): Promise<ScriptedAnswer> => {
    if (isOracle(request)) return price(`about ${/What\d/.exec(textOf(request.messages[0]!))?.[0]}`, 0.25);
    if (++steps === 1) return price("first step", 1);
    working();
    await asked;
    return price("second step", 2);
  });
  const { runtime } = bench;
  await bench.finish(runtime.run(worker(), "one"));
  const before = await readFile(runtime.manifestPath);
  const second = runtime.run(worker(), "two", { onEvent: bench.note });
  await bench.finish(atWork);

  const answers = await bench.finish(Promise.all([runtime.oracle("What1?"), runtime.oracle("What2?")]));
  expect(answers).toEqual(
    ["What1", "What2"].map((what) => ({ ok: true, text: `about ${what}`, costUsd: 0.25, error: "", errorKind: undefined })),
  );
  expect((await readFile(runtime.manifestPath)).equals(before)).toBe(true);
  expect(runtime.totalCost()).toBe(1);

  release();
  expect(await bench.finish(second)).toMatchObject({ ok: true, costUsd: 2, numIterations: 1 });
  expect(runtime.totalCost()).toBe(3);
  expect((await bench.manifest()).map((row) => row.costUsd)).toEqual([1, 2]);
  const aside = await rowsOf(join(runtime.runDir, "aside", "manifest.json"));
  expect(aside.map((row) => [row.step, row.costUsd]).sort()).toEqual([
    ["oracle#1", 0.25],
    ["oracle#2", 0.25],
  ]);
  expect(bench.events.some((event) => event.text.includes("What1"))).toBe(false);
  expect(JSON.stringify(await bench.log())).not.toContain("What1");
  for (const request of bench.engine.requests) if (!isOracle(request)) expect(JSON.stringify(request.messages)).not.toContain("What");
});

test("its material: the last 60 events, cut, without thoughts and prompts; brief, goal, handoffs; the index", async () => {
  const bench = openBench((request) => (isOracle(request) ? "I see" : { reasoning: "a secret thought", text: "at work" }));
  const { runtime } = bench;
  const { workbench } = runtime;
  workbench.ensure();
  await writeFile(workbench.briefPath(), "# the brief\nmake it blue");
  await writeFile(workbench.goalPath(), `${"the goal ".repeat(2_000)}THE END`);
  await writeFile(workbench.handoffPath("work"), "where we stood");
  await workbench.write("scripts/build.sh", "# desc: builds it\n");
  await bench.finish(runtime.run(worker(), "the worker's prompt"));
  for (let n = 1; n <= 70; n++) runtime.publish(makeEvent("task", `event ${n} ${"x".repeat(300)}`, { type: "notice", code: "test" }));
  await bench.finish(runtime.oracle("how far?"));
  const prompt = material(bench);
  expect(prompt.match(/^.* task \(notice\): event \d+ x+$/gm)?.map((line) => Number(/event (\d+)/.exec(line)?.[1]))).toEqual(
    Array.from({ length: 60 }, (_, index) => index + 11),
  );
  for (const line of prompt.match(/event \d+ x+/g) ?? []) expect(line).toHaveLength(200);
  expect(prompt).not.toMatch(/a secret thought|the worker's prompt/);
  expect(prompt).toContain("make it blue");
  expect(prompt).toContain("where we stood");
  expect(prompt).toContain("[Cut here; the file has the rest.]");
  expect(prompt).not.toContain("THE END");
  expect(prompt).toContain("builds it");
  expect(prompt).toMatch(/how far\?$/);
});

test("events say when, what, who and where", async () => {
  const bench = openBench((request) => (isOracle(request) ? "I see" : "at\n  work"));
  await bench.finish(bench.runtime.run(worker(), "go", { label: { step: "work", round: 2 } }));
  await bench.finish(bench.runtime.oracle("how far?"));
  expect(material(bench)).toMatch(/^2026-01-01T\S+Z text \(work#round2, worker\): at work$/m);
});

test("it can be asked before anything has run", async () => {
  const bench = openBench(["nothing yet"]);
  expect(await bench.finish(bench.runtime.oracle("how far?"))).toMatchObject({ ok: true, text: "nothing yet" });
  expect(material(bench)).toContain("(none yet)");
});

test("what earlier runs of the chain did is known too", async () => {
  const first = openBench(["built the engine"]);
  await first.finish(first.runtime.run(worker(), "go"));
  await first.runtime.close();
  const second = openBench(["I see"], {}, first.folder);
  second.runtime.books.earlier = [first.runtime.runId];
  await second.finish(second.runtime.oracle("how far?"));
  expect(material(second)).toContain("built the engine");
});

test("it reads the workspace and can do nothing else", async () => {
  const bench = openBench([
    {
      calls: [
        { name: "Read", args: { file_path: "a.txt" } },
        ...["Write", "Bash", "Agent"].map((name) => ({ name, args: { file_path: "b", content: "x", command: "touch b" } })),
      ],
    },
    "read",
  ]);
  await mkdir(bench.folder, { recursive: true });
  await writeFile(join(bench.folder, "a.txt"), "what it says");
  expect(await bench.finish(bench.runtime.oracle("what is in a.txt?"))).toMatchObject({ ok: true, text: "read" });
  const results =
    bench.engine.requests[1]?.messages.at(-1)?.parts.flatMap((part) => (part.type === "result" ? [resultText(part.content)] : [])) ?? [];
  expect(results[0]).toContain("what it says");
  for (const refused of results.slice(1)) expect(refused).toContain("not available to this agent, on purpose");
  expect(results).toHaveLength(4);
});

test("it is stopped at twelve iterations with an answer, and at half a dollar without one", async () => {
  const looking = (costUsd: number) => (request: RecordedRequest) => {
    return request.settings.toolChoice === "none" ? "so far" : { calls: [{ name: "Glob", args: { pattern: "*" } }], usage: { costUsd } };
  };
  const patient = openBench(looking(0));
  expect(await patient.finish(patient.runtime.oracle("how far?"))).toMatchObject({ ok: true, text: "so far", error: "" });
  expect(patient.engine.requests).toHaveLength(13);
  const dear = openBench(looking(0.2));
  expect(await dear.finish(dear.runtime.oracle("how far?"))).toMatchObject({ ok: false, errorKind: "budget", text: "" });
  expect(dear.engine.requests).toHaveLength(3);
});

test("the run's budget is not the oracle's, nor the other way round", async () => {
  const bench = openBench((request) => price(isOracle(request) ? "I see" : "done", 0.1), { budget: { usd: 0.1 } });
  await bench.finish(bench.runtime.run(worker(), "go"));
  expect(await bench.finish(bench.runtime.oracle("how far?"))).toMatchObject({ ok: true, costUsd: 0.1 });
  expect(bench.runtime.totalCost()).toBe(0.1);
});

test("its failure is its answer; the run does not notice", async () => {
  const bench = openBench((request) => (isOracle(request) ? new FlowerError("auth", "The key is wrong.") : "done"));
  const run = bench.runtime.run(worker(), "go");
  expect(await bench.finish(bench.runtime.oracle("how far?"))).toEqual({
    ok: false,
    text: "",
    costUsd: 0,
    error: "The key is wrong.",
    errorKind: "auth",
  });
  expect((await bench.finish(run)).ok).toBe(true);
  await expect(bench.runtime.oracle(" ")).rejects.toMatchObject({ code: "bad-input" });
});

test("a question is taken back by its signal, and by closing the Runtime; an interrupt of the run is not for it", async () => {
  const bench = openBench((request) => (request.instructions === "" ? "done" : new Promise<never>(() => {})));
  const abort = new AbortController();
  const [first, second] = [bench.runtime.oracle("one?", { signal: abort.signal }), bench.runtime.oracle("two?")];
  while (bench.engine.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  bench.runtime.interrupt("in French");
  abort.abort();
  expect(await bench.finish(first)).toMatchObject({ ok: false, errorKind: "aborted" });
  await bench.finish(bench.runtime.close());
  expect(await second).toMatchObject({ ok: false, errorKind: "aborted" });
  expect(await bench.runtime.oracle("late?")).toMatchObject({ ok: false, errorKind: "aborted" });
});

test("a sink of its own gets its events", async () => {
  const bench = openBench(["I see"]);
  const events: Event[] = [];
  await bench.finish(bench.runtime.oracle("how far?", { onEvent: (event) => void events.push(event) }));
  expect(events.map((event) => event.kind)).toEqual(["prompt", "text", "result"]);
});

test("it speaks with the Runtime's backend, and leaves that open", async () => {
  const closed: string[] = [];
  const seen: string[] = [];
  const backend: Backend = {
    name: "mine",
    async *run(query) {
      seen.push(query.agent.name);
      const payload = { agent: query.agent.name, iteration: 1, sessionId: query.sessionId, numIterations: 1, isError: false };
      yield makeEvent("result", "from mine", payload);
      return { kind: "done", text: "from mine" };
    },
    hasSession: async () => false,
    close: async () => void closed.push("mine"),
  };
  const bench = openBench([], { backend });
  expect(await bench.finish(bench.runtime.oracle("how far?"))).toMatchObject({ ok: true, text: "from mine" });
  expect(seen).toEqual(["oracle"]);
  await bench.finish(bench.runtime.close());
  expect(closed).toEqual(["mine"]);
});

test("without an engine of the Runtime it speaks with that of the newest step", async () => {
  const engine = new ScriptedEngine(["done", "I see"]);
  const bench = openBench([], { engine: undefined });
  await bench.finish(bench.runtime.run(worker({ engine, model: "scripted-9" }), "go"));
  expect(await bench.finish(bench.runtime.oracle("how far?"))).toMatchObject({ ok: true, text: "I see" });
  expect(engine.requests[1]?.model).toBe("scripted-9");
});
