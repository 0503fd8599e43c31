import type { Agent } from "../../agents/agent.ts";
import { type LinkedAbort, throwIfAborted } from "../../core/abort.ts";
import type { Clock } from "../../core/clock.ts";
import { FlowerError, isFlowerError, messageOf } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { Queue } from "../../core/queue.ts";
import { type Event, makeEvent } from "../../messages/event.ts";
import type { Usage } from "../../messages/usage.ts";
import type { Environment } from "../../tools/builtin/environment.ts";
import type { BackendOutcome, BackendQuery } from "../backend.ts";
import { Boundary } from "./boundary.ts";
import { CallGate } from "./call-gate.ts";
import { CliProcess } from "./cli-process.ts";
import { type Crew, crewOf } from "./crew.ts";
import { failureCode } from "./failure.ts";
import { toOutcome } from "./outcome.ts";
import { builtinTools, cliEnvironment, hook, modelId, subagentDefinitions } from "./query-options.ts";
import { ReplyReader } from "./reply-reader.ts";
import { loadSdk, type SdkHookAnswer, type SdkOptions, type SdkPrompt } from "./sdk.ts";
import { ToolNames } from "./tool-names.ts";
import { toolServer } from "./tool-server.ts";
import { spentIn } from "./usage.ts";

/** How the session is entered, in the SDK's words. */
export type SessionEntry = Pick<SdkOptions, "sessionId" | "resume" | "forkSession" | "resumeSessionAt">;

export interface QueryHost {
  readonly query: BackendQuery;
  readonly abort: LinkedAbort;
  readonly clock: Clock;
  readonly env: Environment;
  /** A file of the SDK; default: the installed package. */
  readonly sdk: string | undefined;
  readonly entry: SessionEntry;
  /** Tells `onStarted`, once, when the prompt and one of these replies to it are on disk. */
  readonly checkStarted: (replies: ReadonlySet<string>) => Promise<void>;
}

/** What comes, in order: a message of the CLI, an event of a tool's own, the question what happens between iterations, a failure. */
type Item = { readonly message: unknown } | { readonly event: Event } | { readonly between: () => void } | { readonly fail: () => void };

/** One query over one process of the CLI. */
export class ClaudeQuery {
  readonly #host: QueryHost;
  readonly #queue = new Queue<Item>();
  readonly #crew: Crew;
  readonly #names: ToolNames;
  readonly #gate: CallGate;
  readonly #reader: ReplyReader;
  readonly #boundary: Boundary;
  readonly #process: CliProcess;
  #result: Readonly<Record<string, unknown>> | undefined;
  #endInput: () => void = () => {};

  constructor(host: QueryHost) {
    const { query, abort, clock } = host;
    this.#host = host;
    this.#crew = crewOf(query.agent);
    this.#names = new ToolNames([query.agent, ...[...this.#crew.below.values()].map(({ agent }) => agent)]);
    const emit = (event: Event) => this.#queue.push({ event });
    const fail = (error: unknown) => this.#fail(error);
    this.#gate = new CallGate({ query, crew: this.#crew, names: this.#names, abort, clock, emit, fail });
    this.#reader = new ReplyReader({
      agent: query.agent,
      ...(query.step === undefined ? {} : { step: query.step }),
      toolName: (name) => this.#names.toOurs(name),
      notes: this.#gate.notes,
    });
    this.#boundary = new Boundary({ query, reader: this.#reader, gate: this.#gate });
    this.#process = new CliProcess(clock);
  }

  /** The query's `result`: after everything, also after a failure. */
  resultEvent(text: string, error?: FlowerError): Event {
    const { agent, sessionId, step } = this.#host.query;
    const { iteration, replies } = this.#reader;
    const usage = this.#spent();
    return makeEvent("result", text, {
      agent: agent.name,
      iteration,
      sessionId,
      numIterations: replies,
      usage,
      ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
      isError: error !== undefined,
      ...(error ? { errorKind: error.code } : {}),
      ...(step === undefined ? {} : { step }),
    });
  }

  async *run(): AsyncGenerator<Event, BackendOutcome> {
    const { query, abort, checkStarted } = this.#host;
    const { agent, step } = query;
    yield makeEvent("prompt", query.prompt, { agent: agent.name, iteration: 0, ...(step === undefined ? {} : { step }) });
    const first = this.#boundary.steer();
    if (this.#boundary.stopped) return this.#boundary.stopped;
    const messages = (await loadSdk({ path: this.#host.sdk, workspace: query.workspace })).query({
      prompt: this.#prompts(first.notice),
      options: await this.#options(),
    });
    const stopListening = abort.onAbort((reason) => this.#queue.end({ error: reason }));
    const pumped = this.#pump(messages);
    try {
      yield* this.#consume();
    } finally {
      this.#endInput();
      stopListening();
      if (!this.#result || abort.aborted) await this.#process.end();
      await pumped;
      await this.#process.end();
      await this.#reader.rest(); // what an abort held back was spent all the same
      await checkStarted(this.#reader.mainReplies);
    }
    return this.#outcome();
  }

  async *#consume(): AsyncGenerator<Event, void> {
    const { abort, checkStarted } = this.#host;
    let failing: (() => void) | undefined;
    for (;;) {
      const item = await this.#queue.next();
      throwIfAborted(abort);
      if (item === undefined) break;
      if ("event" in item) yield item.event;
      else if ("between" in item) item.between();
      else if ("fail" in item) failing ??= item.fail;
      else {
        yield* this.#read(item.message);
        await checkStarted(this.#reader.mainReplies);
      }
      if (failing && !this.#reader.isMidReply) break; // the CLI makes a call before the reply that holds it has ended
      throwIfAborted(abort);
    }
    yield* await this.#reader.rest();
    failing?.();
    throwIfAborted(abort);
  }

  async *#read(message: unknown): AsyncGenerator<Event, void> {
    const { deltas } = this.#host.query;
    for (const event of await this.#reader.read(message)) {
      if (event.kind === "result") continue; // ours comes once everything is known
      if (event.kind !== "delta" || deltas) yield event;
    }
    if (!isRecord(message) || message["type"] !== "result") return;
    this.#result = message;
    this.#endInput();
  }

  /** Reads on until the process ends. An error result is thrown again after it was yielded; it counts once. */
  async #pump(messages: AsyncIterable<unknown>): Promise<void> {
    let seen = false;
    try {
      for await (const message of messages) {
        seen ||= isRecord(message) && message["type"] === "result";
        this.#queue.push({ message });
      }
      this.#queue.end(seen ? undefined : { error: this.#death(undefined) });
    } catch (error) {
      this.#queue.end(seen ? undefined : { error: this.#death(error) });
    }
  }

  #death(error: unknown): FlowerError {
    if (isFlowerError(error)) return error;
    const said = this.#process.stderr || (error === undefined ? "it gave no result" : messageOf(error));
    const code = failureCode({ text: said });
    return new FlowerError(code, `The Claude CLI ended before its work was done: ${said}`, { cause: error });
  }

  /** One prompt; the input stays open until the result, for the CLI asks back over the same channel. */
  async *#prompts(notice: string | undefined): AsyncGenerator<SdkPrompt> {
    const ended = new Promise<void>((resolve) => {
      this.#endInput = resolve;
    });
    const texts = [asSpeech(this.#host.query.prompt), ...(notice === undefined ? [] : [notice])];
    const content = texts.map((text) => ({ type: "text" as const, text }));
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    await ended;
  }

  async #options(): Promise<SdkOptions> {
    const { query, env, entry } = this.#host;
    const model = modelId(query.agent);
    const run = (call: Parameters<CallGate["run"]>[0]) => this.#gate.run(call);
    return {
      ...entry,
      cwd: query.workspace,
      env: cliEnvironment(env),
      ...(model === undefined ? {} : { model }),
      systemPrompt: await this.#instructions(query.agent),
      tools: builtinTools(this.#crew),
      agents: await subagentDefinitions(this.#crew, this.#names, (agent) => this.#instructions(agent)),
      mcpServers: Object.fromEntries([...this.#names.servers].map(([name, tools]) => [name, toolServer(name, tools, run)])),
      mcpServersDelivery: "initialize",
      strictMcpConfig: true,
      settingSources: [],
      permissionMode: "default",
      includePartialMessages: true,
      forwardSubagentText: true,
      ...(query.agent.output ? { outputFormat: { type: "json_schema", schema: query.agent.output.json } } : {}),
      hooks: {
        PreToolUse: hook((input) => this.#gate.before(input)),
        PostToolUse: hook((input) => this.#gate.after(input)),
        PostToolUseFailure: hook((input) => this.#gate.after(input)),
        PostToolBatch: hook(async (input) => this.#gate.afterAll(input, await this.#askBetween(input.agent_id !== undefined))),
      },
      canUseTool: async (_name, input, { toolUseID }) => this.#gate.confirm(toolUseID, input),
      spawnClaudeCodeProcess: this.#process.spawn,
    };
  }

  async #instructions({ name, instructions }: Agent): Promise<string> {
    if (typeof instructions === "string") return instructions;
    return instructions({ sessionId: this.#host.query.sessionId, agent: name, metadata: {} });
  }

  /** Steering is asked when everything that came before has been given on. */
  async #askBetween(isBelow: boolean): Promise<SdkHookAnswer> {
    await arrived();
    return new Promise((resolve) => {
      this.#host.abort.onAbort(() => resolve({}));
      this.#queue.push({ between: () => resolve(isBelow ? this.#boundary.betweenBelow() : this.#boundary.between()) });
    });
  }

  /** As in our own loop: what the model said before the call that fails the query is said. */
  async #fail(error: unknown): Promise<void> {
    const { abort } = this.#host;
    await arrived();
    return new Promise((resolve) => {
      abort.onAbort(() => resolve());
      this.#queue.push({ fail: () => abort.abort(error) });
    });
  }

  #outcome(): BackendOutcome {
    return this.#boundary.stopped ?? toOutcome(this.#result ?? {}, this.#reader, this.#gate.withheld);
  }

  #spent(): Usage {
    return (this.#result && spentIn(this.#result)) ?? this.#reader.usage;
  }
}

/** Messages that have been sent get into the queue first. */
function arrived(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The CLI takes a prompt that begins with a slash for a command of its own. */
function asSpeech(prompt: string): string {
  return /^\s*\//.test(prompt) ? `The request:\n\n${prompt}` : prompt;
}
