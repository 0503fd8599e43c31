import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { type Bench, openBench, worker } from "./bench.ts";

const hanging = worker({ tools: [stepTool([], new Set([1]))] });

/** Resolves when so many calls have been announced. */
async function called(bench: Bench, count: number): Promise<void> {
  while (bench.of("tool_call").length < count) await new Promise((resolve) => setImmediate(resolve));
}

test("one row per step, with the run's id and the fields of its result", async () => {
  const bench = openBench(["one", new FlowerError("auth", "bad key")]);
  const results = [];
  for (const stepName of ["a", "b"]) results.push(await bench.finish(bench.runtime.run(worker(), "go", { stepName })));
  const rows = await bench.manifest();
  expect(rows).toEqual(results.map((result) => JSON.parse(JSON.stringify({ run: bench.runtime.runId, ...result }))));
  expect(rows.map((row) => [row.step, row.ok, row.errorKind])).toEqual([
    ["a", true, undefined],
    ["b", false, "auth"],
  ]);
});

test("a run that goes on from an earlier one says so in its rows", async () => {
  const bench = openBench(["one"]);
  bench.runtime.books.earlier = ["earlier"];
  await bench.finish(bench.runtime.run(worker(), "go"));
  expect(await bench.manifest()).toMatchObject([{ run: bench.runtime.runId, continues: "earlier" }]);
});

test("steps that run side by side each get their row", async () => {
  const bench = openBench(() => "done");
  await Promise.all(["a", "b", "c"].map((stepName) => bench.finish(bench.runtime.run(worker(), "go", { stepName }))));
  expect((await bench.manifest()).map((row) => row.step).sort()).toEqual(["a", "b", "c"]);
});

test("rescue writes the step under way as killed, and so it stays when the step is aborted then", async () => {
  const bench = openBench([{ ...steps(1), usage: { inputTokens: 7, costUsd: 0.1 } }]);
  const running = bench.runtime.run(hanging, "go", { onEvent: bench.note, stepName: "work" });
  await called(bench, 1);
  await bench.runtime.rescue();
  const [row] = await bench.manifest();
  expect(row).toMatchObject({ step: "work", ok: false, error: "killed-by-signal", costUsd: 0.1, usage: { inputTokens: 7 } });
  bench.runtime.abort(new FlowerError("aborted", "enough"));
  await running;
  expect(await bench.manifest()).toMatchObject([{ step: "work", ok: false, error: "killed-by-signal", errorKind: "aborted" }]);
});

test("rescue with nothing under way writes no row", async () => {
  const bench = openBench(["one"]);
  await bench.finish(bench.runtime.run(worker(), "go"));
  await bench.runtime.rescue();
  expect(await bench.manifest()).toHaveLength(1);
});

test("closing ends what is under way, keeps what was finished, and writes its row", async () => {
  const bench = openBench([steps(2), steps(1)]);
  const running = bench.runtime.run(hanging, "go", { onEvent: bench.note, stepName: "work" });
  await called(bench, 2);
  await bench.runtime.close();
  const result = await running;
  expect(result).toMatchObject({ ok: false, errorKind: "aborted", error: "The Runtime was closed." });
  expect(await bench.manifest()).toMatchObject([{ step: "work", errorKind: "aborted" }]);

  const next = openBench(["picked up"], {}, bench.folder);
  const again = await next.finish(next.runtime.run(hanging, "go on", { resume: result.sessionId }));
  expect(again).toMatchObject({ ok: true, resumed: true });
  const roles = next.engine.requests[0]?.messages.map((message) => message.role);
  expect(roles).toEqual(["user", "model", "tool", "model", "tool", "user"]);
});

test("closing twice, or without a run, is fine", async () => {
  const { runtime } = openBench([]);
  await runtime.close();
  await runtime.close();
});
