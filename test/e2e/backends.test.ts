import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SDK } from "../backends/claude/sdk-file.ts";
import { Books } from "./books.ts";
import { useClaude } from "./claude-model.ts";
import { flower, newFolder } from "./cli.ts";
import { FORMATS, serveModel } from "./model-server.ts";
import { REQUEST, smallJob } from "./small-job.ts";

const WAYS = [...FORMATS.map((format) => `own loop, ${format}` as const), "claude" as const];
const WHY = "@anthropic-ai/claude-agent-sdk is not installed: npm install --prefix .claude-sdk @anthropic-ai/claude-agent-sdk@0.3.332";

/** What runs an agent, and over which wire: the job and its model are the same. */
async function use(way: (typeof WAYS)[number], folder: string) {
  if (way === "claude") return useClaude(folder, smallJob());
  const format = FORMATS.find((one) => way.endsWith(one));
  return { args: [], env: (await serveModel(smallJob())).env(format) };
}

describe.each(WAYS)("%s", (way) => {
  test("the same words become the same files, documents and verdict", async (context) => {
    context.skip(way === "claude" && SDK === undefined, WHY);
    const folder = await newFolder();
    const { args, env } = await use(way, folder);
    const { code, stdout, stderr } = await flower([REQUEST, "--timeout", "0", ...args], { cwd: folder, env });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });

    const books = new Books(folder);
    const made = (await readdir(folder)).filter((name) => name !== "node_modules");
    expect(made.sort()).toEqual([".flower", "greeting.txt", "runs"]);
    expect(await books.read("greeting.txt")).toBe("Hello, world\n");
    expect(await books.note("brief.md")).toContain("A file greeting.txt that says Hello.");
    expect(await books.note("goal.md")).toContain("$ cat greeting.txt");
    expect(await books.labels()).toEqual(["clarify", "goal", "work", "work·judge#1"]);
    expect((await books.manifest()).every(({ ok, usage }) => ok && (usage?.inputTokens ?? 0) > 0)).toBe(true);
    expect((await books.payloads("tool_call")).map(({ input }) => input)).toContainEqual({ file_path: "greeting.txt" });

    const run = await books.lastRun();
    expect(await books.payloads("task")).toContainEqual(
      expect.objectContaining({ type: "check", check: "greeting.txt says Hello", ok: true }),
    );
    const verdict = JSON.parse(await readFile(join(books.runDir, run, "verdicts/work-1.json"), "utf8"));
    expect(verdict).toMatchObject({ state: "achieved" });
    expect(await books.end()).toMatchObject({ outcome: "achieved", exitCode: 0 });
  });
});
