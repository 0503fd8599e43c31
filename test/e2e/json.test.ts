import { describe, expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { neverSatisfied, REQUEST, smallJob } from "./small-job.ts";

interface Case {
  readonly outcome: string;
  readonly exitCode: number;
  readonly script: ModelScript;
  readonly options: readonly string[];
}

const CASES: readonly Case[] = [
  { outcome: "achieved", exitCode: 0, script: smallJob(), options: [] },
  { outcome: "failed", exitCode: 1, script: smallJob({ judge: neverSatisfied }), options: ["--rounds", "1"] },
  { outcome: "failed", exitCode: 1, script: () => ({ status: 401, message: "no such key" }), options: [] },
  { outcome: "budget", exitCode: 4, script: smallJob(), options: ["--budget", "0.000001"] },
];

describe.each(CASES)("$outcome, exit code $exitCode", ({ outcome, exitCode, script, options }) => {
  test("--json prints the log's own lines, byte for byte, and the last one says the exit code of the process", async () => {
    const server = await serveModel(script);
    const folder = await newFolder();
    const { code, stdout } = await flower([REQUEST, "--json", ...options], { cwd: folder, env: server.env() });
    const books = new Books(folder);
    expect(stdout).toBe(await books.log());
    expect(await books.end()).toMatchObject({ outcome, exitCode });
    expect(code).toBe(exitCode);
    await books.expectWhole();
  });
});

test("a call that could exceed the budget is not made, and the run says so", async () => {
  const server = await serveModel(smallJob());
  const folder = await newFolder();
  const { code, stdout } = await flower([REQUEST, "--budget", "0.01"], { cwd: folder, env: server.env() });
  expect(code).toBe(4);
  expect(server.requests).toEqual([]);
  expect((await new Books(folder).manifest())[0]).toMatchObject({ step: "clarify", ok: false, errorKind: "budget" });
  expect(stdout).toMatch(/budget/);
});
