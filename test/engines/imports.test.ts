import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundleOf } from "../script.ts";
import { events, serve } from "./server.ts";
import { WIRES } from "./wires.ts";

const INDEX = pathToFileURL(bundleOf("src/engines/index.ts")).href;

/** Runs code in a fresh process and returns which of the heavy packages it has loaded: V8's coverage lists every script. */
async function loadedBy(code: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "flower-imports-"));
  const script = `const engines = await import(${JSON.stringify(INDEX)});\n${code}`;
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const reports = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), "utf8")));
    const names = reports.flatMap((report) =>
      [...report.matchAll(/node_modules\/(@ai-sdk\/[a-z-]+|@pydantic\/[a-z-]+)\//g)].map(([, name]) => name),
    );
    return [...new Set(names as string[])];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const request = `{ instructions: "", messages: [{ id: "1", role: "user", at: "", parts: [{ type: "text", text: "hi" }] }], tools: [], settings: {} }`;

it("importing the engines loads no provider package, and making one neither", async () => {
  expect(await loadedBy(`engines.openai("gpt-4o", { apiKey: "k" }); engines.resolveEngine({ env: { GEMINI_API_KEY: "k" } });`)).toEqual([]);
});

it.each([
  ["openai", "openai chat", "@ai-sdk/openai"],
  ["anthropic", "anthropic", "@ai-sdk/anthropic"],
  ["gemini", "gemini", "@ai-sdk/google"],
  ["ollama", "ollama", "@ai-sdk/openai-compatible"],
])("using %s loads its own package and no other provider's", async (name, wireName, own) => {
  const wire = WIRES.find((each) => each.name === wireName) as (typeof WIRES)[number];
  await using server = await serve(events([...wire.begin("ok"), ...wire.end]));
  const code = `for await (const part of engines.${name}("m", { baseURL: "${server.url}", apiKey: null }).stream(${request})) {}`;
  const providers = (await loadedBy(code)).filter((each) => /@ai-sdk\/(?!provider)/.test(each));
  expect(providers).toEqual([own]);
});
