/**
 * Records what the real SDK says in some scenarios, as the fixtures of `normalize.test.ts`. Run by hand after an update of the SDK:
 *
 *   node --conditions=flower-source --import tsx test/backends/claude/children/record.ts [scenario]
 */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeBackend } from "../../../../src/backends/claude/index.ts";
import { isolatedEnvironment } from "../isolated-environment.ts";
import { serveMessages } from "../messages-server.ts";
import { quietQuery } from "../quiet-query.ts";
import { SCENARIOS, type Scenario } from "../scenarios.ts";
import { scrub } from "../scrub.ts";
import { SDK } from "../sdk-file.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** The SDK, with each message written down as it comes. Prompts that begin with a slash are commands again, not speech. */
function recordingSdk(folder: string, file: string): string {
  const path = join(folder, "recording.mjs");
  const source = `
    import { appendFileSync } from "node:fs";
    import { query as real } from ${JSON.stringify(SDK)};
    async function* commands(prompts) {
      for await (const prompt of prompts) yield JSON.parse(JSON.stringify(prompt).replace("The request:\\\\n\\\\n/", "/"));
    }
    export async function* query(params) {
      for await (const message of real({ ...params, prompt: commands(params.prompt) })) {
        appendFileSync(${JSON.stringify(file)}, JSON.stringify(message) + "\\n");
        yield message;
      }
    }`;
  writeFileSync(path, source);
  return path;
}

async function record({ name, agent, script, files = {}, prompts = ["go"] }: Scenario): Promise<void> {
  const newPlace = (what: string) => realpathSync(mkdtempSync(join(tmpdir(), `flower-record-${what}-`)));
  const [workspace, home] = [newPlace("workspace"), newPlace("home")];
  for (const [file, text] of Object.entries(files)) writeFileSync(join(workspace, file), text);
  await using server = await serveMessages(script);
  const file = join(home, "messages.jsonl");
  const backend = claudeBackend({ env: isolatedEnvironment(home, server.url), sdk: recordingSdk(home, file) });
  for (const [index, prompt] of prompts.entries()) {
    const run = backend.run(quietQuery({ agent, workspace, prompt, resume: index > 0 }));
    try {
      for (let next = await run.next(); !next.done; next = await run.next());
    } catch (error) {
      process.stdout.write(`${name} failed, as it may: ${String(error)}\n`);
    }
  }
  writeFileSync(join(FIXTURES, `${name}.jsonl`), scrub(readFileSync(file, "utf8"), { workspace, home }));
  process.stdout.write(`${name}\n`);
}

const [, , only] = process.argv;
for (const scenario of SCENARIOS) if (only === undefined || scenario.name === only) await record(scenario);
