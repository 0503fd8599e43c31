import { Agent, isAgent } from "../../agents/agent.ts";
import { resolveEngine } from "../../engines/resolve.ts";
import { type Translate, translator } from "../../i18n/catalogue.ts";
import { Runner } from "../../runner/runner.ts";
import type { SessionStore } from "../../sessions/store.ts";
import { ChatScreen } from "../chat-screen.ts";
import { cannotUse, loadExport } from "../load/load-module.ts";
import type { ChatOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { Talk } from "../talk.ts";

/** Talks to an agent (or a graph of them) in the terminal. Gives the exit code. */
export async function chat(file: string | undefined, options: ChatOptions): Promise<number> {
  const t = translator(languageFrom(options.lang, process.env));
  const runner = new Runner({
    startingAgent: await loadAgent(file, options, t),
    sessionStore: await openStore(options.db),
    ...engineOf(file, options),
  });
  const screen = new ChatScreen({ color: options.color, prompt: "› " });
  const talk = new Talk({ ...options, runner, screen, t });
  screen.say(t("chat.welcome", { agent: [...runner.agents.keys()].join(", ") }));
  try {
    await screen.read(
      (line) => talk.line(line),
      () => talk.interrupt(),
    );
    return talk.failed && !screen.isInteractive ? 1 : 0;
  } finally {
    screen.close();
    await runner.close();
  }
}

async function loadAgent(file: string | undefined, options: ChatOptions, t: Translate): Promise<Agent> {
  if (file === undefined)
    return new Agent({
      name: "assistant",
      instructions: "You are a helpful assistant. Answer in the person's language.",
      model: options.model,
    });
  const loaded = await loadExport(file, t("cli.load.agent"), t);
  if (!isAgent(loaded)) throw cannotUse(t("cli.load.noAgent", { path: file }));
  return loaded;
}

/** Without a file a provider must be there at once; the agents of a file may bring engines of their own. */
function engineOf(file: string | undefined, options: ChatOptions) {
  const model = options.engine ?? options.model;
  return file === undefined || model !== undefined ? { engine: resolveEngine({ model }) } : {};
}

async function openStore(path: string | undefined): Promise<SessionStore | undefined> {
  if (path === undefined) return undefined;
  const { SqliteSessionStore } = await import("../../sessions/sqlite.ts");
  return new SqliteSessionStore(path);
}
