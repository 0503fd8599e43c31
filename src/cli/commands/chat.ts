import { randomUUID } from "node:crypto";
import { Agent, isAgent } from "../../agents/agent.ts";
import { FlowerError, isFlowerError, messageOf } from "../../core/errors.ts";
import { resolveEngine } from "../../engines/resolve.ts";
import { type Translate, translator } from "../../i18n/catalogue.ts";
import type { Event } from "../../messages/event.ts";
import { textOf } from "../../messages/message.ts";
import { addUsage, contextTokens, NO_USAGE } from "../../messages/usage.ts";
import type { AgentResponse } from "../../runner/response.ts";
import type { Run } from "../../runner/run.ts";
import { Runner } from "../../runner/runner.ts";
import type { SessionStore } from "../../sessions/store.ts";
import { ChatScreen } from "../chat-screen.ts";
import { cannotUse, loadExport } from "../load/load-module.ts";
import type { ChatOptions } from "../program.ts";
import { languageFrom } from "../report-failure.ts";
import { formatCost } from "../terminal/format.ts";

/** Talks to an agent (or a graph of them) in the terminal. Gives the exit code. */
export async function chat(file: string | undefined, options: ChatOptions): Promise<number> {
  const t = translator(languageFrom(options.lang, process.env));
  const runner = new Runner({
    startingAgent: await loadAgent(file, options, t),
    sessionStore: await openStore(options.db),
    ...engineOf(file, options),
  });
  const screen = new ChatScreen({ color: options.color, prompt: "› " });
  const talk = new Talk(runner, screen, t, options);
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

class Talk {
  failed = false;
  readonly #runner: Runner;
  readonly #screen: ChatScreen;
  readonly #t: Translate;
  readonly #verbose: boolean;
  #session: string;
  #run: Run<AgentResponse> | undefined;
  #usage = NO_USAGE;

  constructor(runner: Runner, screen: ChatScreen, t: Translate, options: Pick<ChatOptions, "session" | "verbose">) {
    this.#runner = runner;
    this.#screen = screen;
    this.#t = t;
    this.#session = options.session;
    this.#verbose = options.verbose;
  }

  /** One line of the person's; false ends the talk. */
  async line(text: string): Promise<boolean> {
    const words = text.trim();
    if (words === "") return true;
    if (words === "/quit") return false;
    if (/^\/(reset|history|agents|help)$/.test(words)) await this.#command(words);
    else await this.#turn(words);
    return true;
  }

  /** Ctrl+C: stops the answer under way; without one the talk ends. */
  interrupt(): boolean {
    if (!this.#run) return false;
    this.#run.abort(new FlowerError("aborted", this.#t("chat.stopped")));
    return true;
  }

  async #turn(words: string): Promise<void> {
    const run = this.#runner.stream(this.#session, words, { deltas: true });
    this.#run = run;
    try {
      for await (const event of run) this.#show(event);
      this.#account(await run.response);
    } catch (error) {
      this.failed = true;
      this.#screen.endText();
      this.#screen.say(isFlowerError(error, "no-engine") ? this.#t("cli.noEngine") : messageOf(error));
      this.#screen.say(this.#t("chat.unchanged"));
    } finally {
      this.#run = undefined;
    }
  }

  #show(event: Event): void {
    switch (event.kind) {
      case "delta":
        if (event.payload.of === "text") this.#screen.text(event.payload.agent, event.text);
        return;
      case "text":
        return this.#screen.endText();
      case "tool_call":
        return this.#screen.note(`⏺ ${event.tool}  ${event.text}`);
      case "tool_result":
        if (event.payload.isError) return this.#screen.note(`✗ ${event.text}`);
        return this.#verbose ? this.#screen.note(`  ${event.text}`) : undefined;
      case "thinking":
        return this.#verbose ? this.#screen.note(event.text) : undefined;
      case "transfer":
        return this.#screen.note(`→ ${event.text}`);
      case "task":
        return this.#screen.note(event.text);
      default:
        return;
    }
  }

  #account(response: AgentResponse): void {
    this.#usage = addUsage(this.#usage, response.usage);
    const { costUsd, outputTokens } = this.#usage;
    const values = { cost: costUsd === undefined ? "?" : formatCost(costUsd), input: contextTokens(this.#usage), output: outputTokens };
    const limit = response.finishReason === "done" ? "" : ` · ${response.finishReason}`;
    this.#screen.note(`${response.activeAgentName} · ${this.#t("cli.cost", values)}${limit}`);
  }

  async #command(name: string): Promise<void> {
    switch (name) {
      case "/reset":
        this.#session = `chat-${randomUUID()}`;
        return this.#screen.say(this.#t("chat.reset"));
      case "/agents":
        return this.#screen.say([...this.#runner.agents.keys()].join("\n"));
      case "/history": {
        const state = await this.#runner.session(this.#session);
        const lines = (state?.history ?? []).flatMap((message) => {
          const text = textOf(message);
          return text === "" ? [] : [`${message.agent ?? message.role}: ${text}`];
        });
        return this.#screen.say(lines.join("\n") || this.#t("chat.empty"));
      }
      default:
        return this.#screen.say(this.#t("chat.help"));
    }
  }
}
