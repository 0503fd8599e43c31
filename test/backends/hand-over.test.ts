import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { claudeBackend } from "../../src/backends/claude/index.ts";
import { readText } from "../../src/core/files.ts";
import { anthropic } from "../../src/engines/providers.ts";
import type { Event } from "../../src/messages/event.ts";
import { worker } from "../../src/runtime/roles.ts";
import { Runtime } from "../../src/runtime/runtime.ts";
import { newFolder } from "../folder.ts";
import { isolatedEnvironment } from "./claude/isolated-environment.ts";
import { type ModelAnswer, type ModelRequest, serveMessages } from "./claude/messages-server.ts";
import { SDK } from "./claude/sdk-file.ts";
import { onBoth } from "./guarded/on-both.ts";
import { type BackendName, MODEL } from "./guarded/site.ts";

/** A reply in a context of so many tokens. Full at 60,000 of 100,000. */
const at = (input: number, name: string, args: { readonly [key: string]: string | readonly string[] }): ModelAnswer => ({
  calls: [{ name, args }],
  usage: { input },
});
const runs = (input: number, command: string) => at(input, "Bash", { command, description: "x" });
const FULL = [runs(10_000, "echo one >> log.txt"), runs(61_000, "echo two >> log.txt")];
const DOCUMENT = { doing: "Two of three lines are there.", next: "Append the third.", scene: ["log.txt", "gone.txt"] };
const REST = [runs(1_000, "echo three >> log.txt"), "All three are there."];

const TOO_LONG = { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" };

/** The CLI tries to save a session that is refused by a summary of its own; what is too long for the work is too long for that. */
function isSummary({ messages }: ModelRequest): boolean {
  return JSON.stringify(messages.at(-1)).includes("<summary> block");
}

/** A step over one backend, whose model says this. */
async function work(backend: BackendName, script: readonly ModelAnswer[], agent = worker({ model: MODEL })) {
  const [folder, home] = [newFolder(), newFolder()];
  const answers = [...script];
  const server = await serveMessages((request) => (isSummary(request) ? TOO_LONG : (answers.shift() ?? "nothing more")));
  const how =
    backend === "native"
      ? { engine: anthropic(MODEL, { baseURL: server.url, apiKey: "fake-key-0123456789" }) }
      : { backend: claudeBackend({ env: isolatedEnvironment(home, server.url), ...(SDK === undefined ? {} : { sdk: SDK }) }) };
  const runtime = new Runtime({ workspace: folder, contextHandoff: { window: 100_000 }, resilience: { delayMs: 1 }, ...how });
  onTestFinished(async () => {
    await runtime.close();
    await server[Symbol.asyncDispose]();
  });
  runtime.workbench.ensure();
  writeFileSync(runtime.workbench.goalPath(), "# Goal\n\nlog.txt has three lines.\n");
  const phases: string[] = [];
  const onEvent = ({ kind, payload }: Event) =>
    void (kind === "handoff" && phases.push(`${payload.phase}${payload.phase === "done" && payload.degraded ? ", by machine" : ""}`));
  const result = await runtime.run(agent, "Append three lines to log.txt.", { label: { step: "work" }, onEvent });
  const told = JSON.stringify(server.asked.at(-2)?.messages[0]?.content); // of the session that took over, which makes two calls
  const log = await readText(join(folder, "log.txt"));
  return { result, phases, told, asked: server.asked.length, log, runtime };
}

onBoth("a full session leaves a document, and a fresh one goes on by it; nothing is done twice", async (backend) => {
  const { result, phases, told, asked, log, runtime } = await work(backend, [...FULL, at(62_000, "handoff_document", DOCUMENT), ...REST]);
  expect(result).toMatchObject({ ok: true, text: "All three are there.", attempts: 1, context: 62_000 });
  expect(result.retired).toHaveLength(1);
  expect(result.retired).not.toContain(result.sessionId);
  expect([phases, asked, log]).toEqual([["near", "writing", "done"], 5, "one\ntwo\nthree\n"]);
  for (const words of ["You are taking over", "Append three lines to log.txt.", "log.txt has three lines.", DOCUMENT.next])
    expect(told).toContain(words);
  expect(told).not.toContain("echo one");
  expect(readFileSync(runtime.workbench.handoffPath("work"), "utf8")).toContain("- log.txt\n- gone.txt (not there)");
});

onBoth("a session that is refused as too long has its document made by machine, and the work goes on", async (backend) => {
  const { result, phases, told, log } = await work(backend, [runs(10_000, "echo one >> log.txt"), TOO_LONG, ...REST]);
  expect(result).toMatchObject({ ok: true, attempts: 1 });
  expect([result.retired.length, phases, log]).toEqual([1, ["writing", "done, by machine"], "one\nthree\n"]);
  expect(told).toContain("assembled by machine");
});

onBoth("a subagent's context, however full, is no reason for the one above to hand over", async (backend) => {
  const hand = worker({ name: "hand", model: MODEL });
  const start = at(1_000, "Agent", { description: "d", prompt: "Look around.", subagent_type: "hand" });
  const below = [runs(90_000, "echo one >> log.txt"), { text: "I looked.", usage: { input: 95_000 } }];
  const agent = worker({ model: MODEL }).with({ subagents: [hand] });
  const { result, phases, asked } = await work(backend, [start, ...below, { text: "Done.", usage: { input: 2_000 } }], agent);
  expect(result).toMatchObject({ ok: true, text: "Done.", context: 2_000, retired: [] });
  expect([phases, asked]).toEqual([[], 4]);
});
