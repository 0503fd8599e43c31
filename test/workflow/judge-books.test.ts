import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptedCall } from "../../src/engines/scripted.ts";
import { resultText } from "../../src/messages/message.ts";
import { newFolder } from "../folder.ts";
import { worker } from "../runtime/bench.ts";
import { handIn, verdict } from "./lines.ts";
import { openWork, reports, type WorkOptions } from "./work.ts";

const achieved = handIn(verdict(["passed"]));
const BAIT = "claims-that-it-is-all-done";

/** What a judge's looks at the books came to, in the second round: an earlier verdict lies there then. */
async function looks(calls: (folder: string) => readonly ScriptedCall[], options: WorkOptions = {}) {
  const folder = newFolder();
  await mkdir(join(folder, "runs/20260101-000000-000000"), { recursive: true });
  await writeFile(join(folder, "runs/20260101-000000-000000/log.txt"), `${BAIT}\n`);
  await mkdir(join(folder, "20250101-000000-000000")); // an earlier run, where the books are the workspace itself
  await writeFile(join(folder, "seen.txt"), "work\n");
  await symlink("runs", join(folder, "alias"));
  const judge = [...handIn(verdict(["failed"])), { calls: calls(folder) }, ...achieved];
  const work = await openWork({ worker: reports(2), judge }, { folder, ...options });
  await work.run();
  const parts = work.stage.requests("judge")[3]?.messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "result" ? [{ isError: part.isError, text: resultText(part.content) }] : []));
}

const read = (file_path: string): ScriptedCall => ({ name: "Read", args: { file_path } });
const READS = (folder: string): readonly ScriptedCall[] => [
  read("runs/lineage.json"),
  read("runs/manifest.json"),
  read(join(folder, "runs/20260101-000000-000000/log.txt")),
  read("alias/20260101-000000-000000/log.txt"),
  read("./x/../runs/20260101-000000-000000/log.txt"),
  { name: "Grep", args: { pattern: BAIT, path: "runs", output_mode: "content" } },
  { name: "Grep", args: { pattern: BAIT, path: "alias/20260101-000000-000000", output_mode: "content" } },
  { name: "Glob", args: { pattern: "*", path: "runs/20260101-000000-000000" } },
];

test.each<[string, WorkOptions]>([
  ["the judge", {}],
  ["a judge of the user's own", { agent: worker({ name: "mine", tools: ["Read", "Grep", "Glob"] }) }],
])("%s cannot read earlier verdicts, attempts or logs, by whatever path", async (_who, options) => {
  const results = await looks(READS, options);
  expect(results).toHaveLength(8);
  for (const { isError, text } of results) expect([isError, text]).toEqual([true, expect.stringMatching(/on purpose/)]);
});

test("a search over the whole workspace shows the work, and nothing of the books", async () => {
  const searches: readonly ScriptedCall[] = [
    { name: "Glob", args: { pattern: "runs/**" } },
    { name: "Grep", args: { pattern: `work|${BAIT}`, output_mode: "content" } },
    { name: "Glob", args: { pattern: "**/*.txt" } },
  ];
  const [below, ...all] = await looks(() => searches);
  expect(below?.text).toMatch(/^No files match/);
  for (const { isError, text } of all) {
    expect([isError, text.includes("seen.txt")]).toEqual([false, true]);
    expect(text).not.toMatch(/runs\/|claims-that/);
  }
});

test("books that are the workspace itself are no reason to see nothing", async () => {
  const [seen] = await looks(() => [read("seen.txt")], { runtime: { runDir: "." } });
  expect(seen).toMatchObject({ isError: false, text: expect.stringContaining("work") });
});
