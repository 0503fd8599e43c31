import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, onTestFinished, test } from "vitest";
import { flower, newFolder, startNode } from "./cli.ts";

const ROOT_ENTRY = pathToFileURL(join(dirname(inject("cli")), "..", "index.js")).href;
const ONE_TURN = `
  const { Agent, Runner } = await import(${JSON.stringify(ROOT_ENTRY)});
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  async function* stream() {
    yield { type: "block", of: "text", text: "It is fine." };
    yield { type: "finish", reason: "stop", usage };
  }
  const engine = { provider: "script", model: "script-1", stream, withModel: () => engine };
  const runner = new Runner({ startingAgent: new Agent({ name: "bot" }), engine });
  console.log((await runner.run("session", "Well?")).content, Agent.name, Runner.name);`;

/** The files that a process has loaded: V8's coverage lists every script. */
async function loadedBy(code: string): Promise<{ readonly stdout: string; readonly files: readonly string[] }> {
  const coverage = await mkdtemp(join(tmpdir(), "flower-bundle-"));
  onTestFinished(() => rm(coverage, { recursive: true }));
  const started = await startNode(["--input-type=module", "-e", code], { cwd: await newFolder(), env: { NODE_V8_COVERAGE: coverage } });
  const { stdout } = await started.ended;
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), "utf8")));
  const files = reports.flatMap((report) => [...report.matchAll(/"url":"file:\/\/([^"]+)"/g)].map(([, path]) => path as string));
  return { stdout, files };
}

test("a first turn on the built package loads a handful of files and no other package, and its classes keep their names", async () => {
  const { stdout, files } = await loadedBy(ONE_TURN);
  expect(stdout).toBe("It is fine. Agent Runner\n");
  expect(files).toContain(new URL(ROOT_ENTRY).pathname);
  expect(files.filter((file) => file.includes("/node_modules/"))).toEqual([]);
  expect(files.length).toBeLessThan(25);
});

test("the built entries for services and terminals load, and what they need is not loaded by the root entry", async () => {
  const entry = (path: string) => JSON.stringify(new URL(path, ROOT_ENTRY).href);
  const code = `
    const { Render } = await import(${entry("cli/terminal/index.js")});
    const { createApp } = await import(${entry("server/index.js")});
    new Render({ write: console.log, language: "en", color: false, width: () => 40 }).event({ kind: "text", text: "hello", tool: "", payload: { agent: "bot", iteration: 1 } });
    const app = createApp({ runs: { list: async () => [], get: async () => undefined } });
    console.log(await (await app.fetch(new Request("http://localhost/runs"))).text());`;
  const { stdout, files } = await loadedBy(code);
  expect(stdout.split("\n").filter((line) => line !== "")).toEqual(["● hello", '{"runs":[]}']);
  expect(files.some((file) => file.includes("/node_modules/hono/"))).toBe(true);
  expect(
    (await loadedBy(`await import(${JSON.stringify(ROOT_ENTRY)});`)).files.filter((file) => /\/(?:hono|picocolors)\//.test(file)),
  ).toEqual([]);
});

test("the built command lends its own package to an agents' file in a folder without one", async () => {
  const cwd = await newFolder();
  const code = `import { Agent } from "flower-agents";\nexport const one = new Agent({ name: "one" });\nexport const other = "no agent";\n`;
  await writeFile(join(cwd, "agents.ts"), code);
  const { stderr } = await flower(["chat", "agents.ts:nobody"], { cwd });
  expect(stderr).toMatch(/does not export "nobody"\. It exports: one, other/);
});
