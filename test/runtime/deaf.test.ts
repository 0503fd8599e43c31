import { expect, test } from "vitest";
import { FlowerError } from "../../src/core/errors.ts";
import { steps, stepTool } from "../backends/steps.ts";
import { openBench, worker } from "./bench.ts";

const deaf = () => new Promise<never>(() => {});

test.each([
  ["a tool", [steps(1)]],
  ["a model", [deaf]],
])("an abort ends the run though %s is deaf to it, without time passing, and closes the books", async (_what, script) => {
  const bench = openBench(script);
  const reached = new Promise<void>((resolve) => {
    const look = () => (bench.engine.requests.length > 0 ? setTimeout(resolve, 20) : setImmediate(look));
    look();
  });
  const running = bench.runtime.run(worker({ tools: [stepTool([], new Set([1]))] }), "go");
  await reached;
  bench.runtime.abort(new FlowerError("aborted", "Enough."));
  expect(await running).toMatchObject({ ok: false, errorKind: "aborted", error: "Enough." });
  await bench.runtime.close();
  expect(await bench.manifest()).toMatchObject([{ ok: false, errorKind: "aborted" }]);
});
