import { randomUUID } from "node:crypto";
import { FlowerError, isFlowerError, messageOf } from "../core/errors.ts";
import type { Translate } from "../i18n/catalogue.ts";
import type { Event } from "../messages/event.ts";
import { textOf } from "../messages/message.ts";
import { addUsage, contextTokens, NO_USAGE } from "../messages/usage.ts";
import type { ApprovalDecision, PendingCall } from "../runner/approval.ts";
import type { AgentResponse } from "../runner/response.ts";
import type { Run } from "../runner/run.ts";
import type { Runner } from "../runner/runner.ts";
import { readConsent } from "../workflow/consent.ts";
import type { ChatScreen } from "./chat-screen.ts";
import type { ChatOptions } from "./program.ts";
import { formatCost } from "./terminal/format.ts";

export interface TalkOptions extends Pick<ChatOptions, "session" | "verbose"> {
  readonly runner: Runner;
  readonly screen: ChatScreen;
  readonly t: Translate;
}

/** A person's lines to agents, and what they say and do: turns, consent, the commands of the talk. */
export class Talk {
  failed = false;
  readonly #runner: Runner;
  readonly #screen: ChatScreen;
  readonly #t: Translate;
  readonly #verbose: boolean;
  #session: string;
  #run: Run<AgentResponse> | undefined;
  #usage = NO_USAGE;
  /** The same before the turn that waits for a decision: what a turn tells of itself is all of it, each time. */
  #usageBefore = NO_USAGE;
  /** Calls that wait for the person's word, and what has been said of those before. */
  #pending: readonly PendingCall[] = [];
  #decisions: readonly ApprovalDecision[] = [];

  constructor({ runner, screen, t, session, verbose }: TalkOptions) {
    this.#runner = runner;
    this.#screen = screen;
    this.#t = t;
    this.#session = session;
    this.#verbose = verbose;
  }

  /** One line of the person's; false ends the talk. */
  async line(text: string): Promise<boolean> {
    const words = text.trim();
    if (words === "") return true;
    if (words === "/quit") return false;
    if (/^\/(reset|history|agents|help)$/.test(words)) await this.#command(words);
    else if (/^\/\w+$/.test(words))
      await this.#command("/help"); // a mistyped one costs no turn
    else if (this.#pending.length > 0) await this.#decide(words);
    else await this.#turn(words);
    return true;
  }

  /** Ctrl+C: stops the answer under way; without one the talk ends. */
  interrupt(): boolean {
    if (!this.#run) return false;
    this.#run.abort(new FlowerError("aborted", this.#t("chat.stopped")));
    return true;
  }

  #turn(words: string): Promise<void> {
    this.#usageBefore = this.#usage;
    return this.#follow(this.#runner.stream(this.#session, words, { deltas: true }));
  }

  async #follow(run: Run<AgentResponse>): Promise<void> {
    this.#run = run;
    try {
      for await (const event of run) this.#show(event);
      const response = await run.response;
      this.#account(response);
      this.#ask(response.pending);
    } catch (error) {
      this.failed = true;
      this.#screen.endText();
      this.#screen.say(isFlowerError(error, "no-engine") ? this.#t("cli.noEngine") : messageOf(error));
      this.#screen.say(this.#t("chat.unchanged"));
    } finally {
      this.#run = undefined;
    }
  }

  #ask(pending: readonly PendingCall[]): void {
    this.#pending = pending;
    const [call] = pending;
    if (call) this.#screen.say(this.#t("chat.mayIt", { agent: call.agent, tool: call.name, args: JSON.stringify(call.args) }));
  }

  /** The person's word on the call that was asked about last; with all of them the turn goes on. */
  async #decide(words: string): Promise<void> {
    const [call, ...others] = this.#pending;
    if (!call) return;
    const consent = words === "1" ? "allow" : words === "2" ? "deny" : readConsent(words);
    const reason = consent === undefined ? { reason: words } : {};
    const decisions = [...this.#decisions, { callId: call.callId, approve: consent === "allow", ...reason }];
    this.#decisions = others.length > 0 ? decisions : [];
    this.#ask(others);
    if (others.length === 0) await this.#follow(this.#runner.resumeStream(this.#session, decisions, { deltas: true }));
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
    this.#usage = addUsage(this.#usageBefore, response.usage);
    const { costUsd, outputTokens } = this.#usage;
    const values = { cost: costUsd === undefined ? "?" : formatCost(costUsd), input: contextTokens(this.#usage), output: outputTokens };
    const limit = response.finishReason === "done" ? "" : ` · ${response.finishReason}`;
    this.#screen.note(`${response.activeAgentName} · ${this.#t("cli.cost", values)}${limit}`);
  }

  async #command(name: string): Promise<void> {
    switch (name) {
      case "/reset":
        this.#session = `chat-${randomUUID()}`;
        this.#pending = [];
        this.#decisions = [];
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
