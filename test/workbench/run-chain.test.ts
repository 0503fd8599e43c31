import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEvent } from "../../src/messages/event.ts";
import { EventLog } from "../../src/workbench/event-log.ts";
import { appendManifestRows, type ManifestRow } from "../../src/workbench/manifest.ts";
import { eventsPath, followChain, readChain, runChain, toCursor } from "../../src/workbench/run-chain.ts";
import { newFolder } from "./folder.ts";

test("a cursor is a number of the own run, or names its run", () => {
  expect(toCursor(undefined, "r")).toEqual({ run: "r", seq: 0 });
  expect(toCursor(7, "r")).toEqual({ run: "r", seq: 7 });
  expect(toCursor("7", "r")).toEqual({ run: "r", seq: 7 });
  expect(toCursor("20260102-030405-a1b2c3:7", "r")).toEqual({ run: "20260102-030405-a1b2c3", seq: 7 });
});

test.each(["", "-1", "1.5", ":3", "r:", "r:x", "../r:1", "r:1:2", "1e3"])("%j is no cursor", (text) => {
  expect(() => toCursor(text, "r")).toThrow(/no cursor/);
});

test("the chain is found in the lineage, else in the manifest", async () => {
  const runDir = newFolder();
  expect(await runChain(runDir, runDir, "c")).toEqual(["c"]);
  const row = { step: "s", startedAt: "", ok: true } as unknown as ManifestRow;
  await appendManifestRows(join(runDir, "manifest.json"), [
    { ...row, run: "b", continues: "a" },
    { ...row, run: "c", continues: "b" },
  ]);
  expect(await runChain(runDir, runDir, "c")).toEqual(["a", "b", "c"]);
  const lineage = { request: "", language: "en", woke: 1, runs: ["x", "c", "d"], steps: {} };
  writeFileSync(join(runDir, "lineage.json"), JSON.stringify({ workspace: runDir, workflows: { go: lineage } }));
  expect(await runChain(runDir, runDir, "c")).toEqual(["x", "c"]);
});

test("a cursor in any run of the chain gives the rest of it and what came after, each event once", async () => {
  const runDir = newFolder();
  const runs = ["a", "b", "c"];
  for (const run of runs) {
    mkdirSync(join(runDir, run));
    const log = EventLog.open(eventsPath(runDir, run), { run });
    for (let n = 0; n < 3; n++) log.append(makeEvent("text", "x", { agent: "a", iteration: 1 }));
    await log.close();
  }
  const whole = runs.flatMap((run) => [1, 2, 3].map((seq) => `${run}:${seq}`));
  for (const [index, place] of ["a:0", ...whole].entries()) {
    const options = { runs, after: toCursor(place, "c"), isOver: () => true };
    const followed: string[] = [];
    for await (const { event } of followChain(runDir, options)) followed.push(`${event.run}:${event.seq}`);
    expect(followed).toEqual(whole.slice(index));
    const read: string[] = [];
    for await (const { event } of readChain(runDir, options)) read.push(`${event.run}:${event.seq}`);
    expect(read).toEqual(whole.slice(index));
  }
  await expect(followChain(runDir, { runs, after: toCursor("other:1", "c") }).next()).rejects.toMatchObject({ code: "not-found" });
});
