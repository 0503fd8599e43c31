import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { EngineRequest } from "../../engines/engine.ts";
import { ScriptedEngine } from "../../engines/scripted.ts";
import { translator } from "../../i18n/catalogue.ts";
import type { Event } from "../../messages/event.ts";
import { type Message, resultText, textOf } from "../../messages/message.ts";
import { totalTokens } from "../../messages/usage.ts";
import { Runtime } from "../../runtime/runtime.ts";
import { type StarterWorkflow, starterFlow } from "../../workflow/starter.ts";
import { type DemoView, demoReply } from "../demo/script.ts";
import { drive } from "../drive.ts";
import type { GlobalOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { Screen } from "../screen.ts";
import { formatCost } from "../terminal/format.ts";

const ANSWER_AFTER_MS = 5_000;
/** The pace of a model that thinks; without it the run is over before one can read it. */
const MODEL_DELAY_MS = 700;

/** A whole run on real files with a scripted model: no key, no network. Gives the exit code. */
export async function demo(options: GlobalOptions): Promise<number> {
  const language = languageFrom(options.lang, process.env);
  const t = translator(language);
  const workspace = options.workspace === "." ? await mkdtemp(join(tmpdir(), "flower-demo-")) : resolve(options.workspace);
  const screen = new Screen({ language, color: options.color, verbose: options.verbose, json: options.json });
  // File names of notes follow the language, and the script names the English ones.
  const workflow = starterFlow(t("demo.request"), { workspace, language: "en", timeoutMs: (options.timeout ?? 60) * 1000 });
  const runtime = new Runtime({ workspace, language: "en", engine: demoEngine(), workbench: workflow.workbench });
  screen.aside(t("demo.title"), [t("demo.intro"), t("demo.folder", { path: workspace }), "", `flower "${t("demo.request")}"`].join("\n"));
  const exitCode = await drive({ workflow, channel: workflow.channel, runtime, screen, onEvent: answerIfNobodyDoes(workflow, screen) });
  await showWhatWasMade(workspace, runtime, screen);
  return exitCode;
}

function demoEngine(): ScriptedEngine {
  return new ScriptedEngine((request) => {
    const reply = demoReply(toDemoView(request));
    return { ...reply, deltas: 8, delayMs: MODEL_DELAY_MS, usage: estimate(request, JSON.stringify(reply).length) };
  });
}

/** The demo's view of a request of ours. */
function toDemoView(request: EngineRequest): DemoView {
  const newest = (role: Message["role"]) => request.messages.findLast((message) => message.role === role);
  const results = newest("tool")?.parts.map((part) => (part.type === "result" ? resultText(part.content) : "")) ?? [];
  const prompt = newest("user");
  return {
    tools: request.tools.map((tool) => tool.name),
    replies: request.messages.filter((message) => message.role === "model").length,
    results,
    prompt: prompt ? textOf(prompt) : "",
  };
}

const CHARS_PER_TOKEN = 4;

/** What the same words would be in tokens, roughly; a script costs nothing. */
function estimate(request: EngineRequest, replyChars: number) {
  const chars = request.instructions.length + JSON.stringify(request.messages).length;
  return { inputTokens: Math.round(chars / CHARS_PER_TOKEN), outputTokens: Math.round(replyChars / CHARS_PER_TOKEN), costUsd: 0 };
}

/** Answers a question with its first option when nobody has typed for a while. */
function answerIfNobodyDoes(workflow: StarterWorkflow, screen: Screen): (event: Event) => void {
  const answerLater = (id: string, answer: string) =>
    setTimeout(() => {
      if (!workflow.channel.pending().some((ask) => ask.id === id)) return;
      if (screen.isTyping) return answerLater(id, answer);
      screen.say(screen.t("demo.autoAnswer", { seconds: ANSWER_AFTER_MS / 1000, answer }));
      workflow.channel.answer(id, answer);
    }, ANSWER_AFTER_MS);
  return (event) => {
    if (event.kind !== "ask" || event.payload.kind !== "question" || event.payload.state !== "asked") return;
    answerLater(event.payload.id, event.payload.options[0] ?? "");
  };
}

async function showWhatWasMade(workspace: string, runtime: Runtime, screen: Screen): Promise<void> {
  const { t } = screen;
  const files = (await readdir(workspace)).filter((name) => !name.startsWith(".") && name !== "runs");
  const { total } = runtime.ledger;
  const cost = { cost: formatCost(total.costUsd ?? 0), input: totalTokens(total) - total.outputTokens, output: total.outputTokens };
  const at = (path: string) => relative(workspace, path);
  const where: readonly (readonly [string, string])[] = [
    [t("demo.brief"), at(runtime.workbench.briefPath())],
    [t("demo.goal"), at(runtime.workbench.goalPath())],
    [t("demo.verdicts"), at(join(runtime.books.folder, "verdicts"))],
    [t("demo.manifest"), at(runtime.manifestPath)],
    [t("demo.log"), at(runtime.books.eventsPath)],
  ];
  screen.aside(t("demo.made"), [workspace, ...files.map((name) => `  ${name}`), "", t("demo.cost", cost)].join("\n"));
  screen.aside(t("demo.where"), [...where.map(([name, path]) => `${name}: ${path}`), "", t("demo.next")].join("\n"));
}
