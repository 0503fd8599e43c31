import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderCost } from "../../src/server/folder-cost.ts";
import { RunFiles } from "../../src/server/run-files.ts";
import { newFolder } from "../folder.ts";

type Line = readonly [kind: string, payload: object];

const spoke = (costUsd: number): Line => ["text", { agent: "a", iteration: 1, step: "work", usage: { costUsd }, costUsd }];
const result = (costUsd: number): Line => ["result", { agent: "a", iteration: 1, step: "work", sessionId: "s", isError: false, costUsd }];
const verdict = (reason: string): Line => ["task", { type: "verdict", step: "work", round: 1, state: "not_yet", reason, checks: [] }];
const end = (outcome: string): Line => ["task", { type: "run-end", outcome, exitCode: 0 }];

/** A folder of books in which these runs were made, oldest first. */
async function books(...runs: readonly (readonly Line[])[]) {
  const runDir = newFolder();
  const chain = runs.map((_, index) => `2026010${index + 1}-000000-aaaaaa`);
  for (const [index, lines] of runs.entries()) {
    const run = chain[index] as string;
    const events = lines.map(([kind, payload], at) => ({
      run,
      seq: at + 1,
      at: "2026-01-01T00:00:00.000Z",
      kind,
      text: "",
      tool: "",
      payload,
    }));
    await mkdir(join(runDir, run), { recursive: true });
    await writeFile(join(runDir, run, "events.jsonl"), events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  }
  const files = new RunFiles({ runDir, chain, isAlive: false });
  return { runDir, chain, files };
}

test("a run that found everything finished tells nothing: the state is that of the run that did the work", async () => {
  const { files, chain } = await books([spoke(0.1), end("failed")], [spoke(0.2), end("achieved")], [end("achieved")], [end("achieved")]);
  expect(await files.state()).toMatchObject({ run: chain[1], outcome: "achieved", costUsd: 0.2 });
});

test("a run that failed before it did anything is told of, with the last verdict on the same work", async () => {
  const { files, chain } = await books([verdict("first"), end("failed")], [spoke(0.2), end("interrupted")], [end("failed")]);
  expect(await files.state()).toMatchObject({ run: chain[2], outcome: "failed", verdict: undefined });
  expect(await files.verdictBefore(chain[2] as string)).toMatchObject({ reason: "first" });
});

test("a verdict from before the goal was achieved is about other work", async () => {
  const { files, chain } = await books([verdict("first"), end("failed")], [spoke(0.2), end("achieved")], [spoke(0.1), end("parked")]);
  expect(await files.verdictBefore(chain[2] as string)).toBeUndefined();
});

test("a query's total replaces what its replies added up to; what a kill cut off counts reply by reply; unknown prices make it a lower bound", async () => {
  const { runDir } = await books([spoke(0.1), spoke(0.2), result(0.25), spoke(0.1)], [["text", { agent: "a", iteration: 1, usage: {} }]]);
  expect(await folderCost(runDir)).toEqual({ usd: expect.closeTo(0.35, 10), complete: false, runs: 2 });
  expect(await folderCost(join(runDir, "none"))).toEqual({ usd: 0, complete: true, runs: 0 });
});
