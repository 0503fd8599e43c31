import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flower, newFolder } from "./cli.ts";

const RUN = "20260102-030405-a1b2c3";
const ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e";
const FACTS = { step: ESCAPES, agent: ESCAPES, iteration: 1 };

/** What another version, or somebody with an editor, may have written. */
const EVENTS: readonly object[] = [
  { kind: "step", text: `build${ESCAPES}`, tool: "", payload: { index: 1, total: 1, resumed: false, woke: false } },
  { kind: "hologram", text: ESCAPES, tool: "", payload: { depth: 3 } },
  { kind: "step", text: "forged", tool: "", payload: { index: ESCAPES, total: ESCAPES } },
  { kind: "text", text: null, tool: 7, payload: [ESCAPES] },
  { kind: "tool_call", text: ESCAPES, tool: ESCAPES, payload: { ...FACTS, id: "1", input: null } },
  { kind: "ask", text: ESCAPES, tool: "", payload: { kind: "question", id: ESCAPES, state: "asked", options: [null, { a: 1 }] } },
  { kind: "task", text: "", tool: "", payload: { type: "verdict", round: -1, state: 5, checks: "all" } },
  { kind: "task", text: "", tool: "", payload: null },
  { kind: "text", text: "the end is near", tool: "", payload: { agent: "worker", iteration: 2, context: -5, usage: null } },
  { kind: "text", text: "still here", tool: "", payload: { agent: "worker", iteration: 2 } },
];

async function folderWithLog(): Promise<{ readonly folder: string; readonly log: string }> {
  const folder = await newFolder();
  const lines = EVENTS.map((event, index) => JSON.stringify({ run: RUN, seq: index + 1, at: "2026-01-02T03:04:05.000Z", ...event }));
  const log = `${lines.join("\n")}\n`;
  await mkdir(join(folder, "runs", RUN), { recursive: true });
  await writeFile(join(folder, "runs", RUN, "events.jsonl"), log);
  return { folder, log };
}

test("a log with unknown kinds and hostile facts is printed byte for byte as JSON", async () => {
  const { folder, log } = await folderWithLog();
  expect(await flower(["log", "--json"], { cwd: folder })).toEqual({ code: 0, stdout: log, stderr: "" });
});

test("for people it is shown to its end, without one control character, and the state of its run is told", async () => {
  const { folder } = await folderWithLog();
  for (const args of [["log"], ["log", "--verbose"], ["status"]]) {
    const { code, stdout, stderr } = await flower(args, { cwd: folder });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    expect(stdout).not.toMatch(/[\x00-\x09\x0B-\x1F\x7F-\x9F\u202E]/);
    expect(stdout).toContain(args[0] === "log" ? "still here" : RUN);
  }
  const { stdout } = await flower(["status", "--json"], { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({ run: RUN, state: "gone", lastSeq: EVENTS.length });
});
