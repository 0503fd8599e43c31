import type { AgentKit } from "../agents/agent-graph.ts";
import { throwIfAborted, withAbort } from "../core/abort.ts";
import { shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { newCallId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { Engine, EngineFinish, EnginePart, EngineRequest } from "../engines/engine.ts";
import { type Event, makeEvent, type Speech, summarizeCall } from "../messages/event.ts";
import { windowHistory } from "../messages/history.ts";
import type { CallPart, Message, Part } from "../messages/message.ts";
import { contextTokens } from "../messages/usage.ts";
import { contractBroken, partProblem } from "./engine-contract.ts";
import { outputInstructions } from "./final-answer.ts";
import { PartReader } from "./part-reader.ts";
import type { OpenTurn } from "./turn.ts";
import type { TurnOptions } from "./turn-loop.ts";

/** One model reply. */
export interface Reply {
  readonly message: Message;
  readonly calls: readonly CallPart[];
  readonly finish: EngineFinish;
}

/** Whether the model may call tools; "ignored": it may not, and calls that it makes all the same are left out of its reply. */
type ToolUse = "offered" | "withheld" | "ignored";

/** Makes one model call and gives its blocks as events, in the reply's order; the last block carries usage and context level. */
export async function* askEngine(turn: OpenTurn, options: TurnOptions, tools: ToolUse): AsyncGenerator<Event, Reply> {
  turn.iterations++;
  const engine = options.engineOf(turn.agent);
  const { instructions } = turn.agent;
  const request = makeRequest(turn, options, tools, {
    instructions: typeof instructions === "string" ? instructions : await callInstructions(turn, options),
    messages: windowHistory(options.feed ? await options.feed(turn.messages) : turn.messages, options.window),
  });
  throwIfAborted(options.abort);
  const reader = new PartReader(engine, request, options);
  const reply = new ReplyBuilder(turn, options, engine);
  const take = (part: EnginePart) => {
    const problem = partProblem(part);
    if (problem !== undefined) throw contractBroken(engine, problem);
    return (tools !== "ignored" || part.type !== "call") && reply.add(part);
  };
  try {
    while (!reply.last) {
      await reader.readUntil(take);
      if (reply.due) yield reply.due;
    }
    return reply.result(reply.last);
  } catch (error) {
    if (options.abort.aborted && reply.shown !== "") await turn.shownBeforeAbort(reply.shown, String(error)).catch(() => {});
    throw error;
  } finally {
    reader.close();
  }
}

function makeRequest(
  turn: OpenTurn,
  options: TurnOptions,
  tools: ToolUse,
  { instructions, messages }: Pick<EngineRequest, "instructions" | "messages">,
): EngineRequest {
  const { agent } = turn;
  const kit = options.graph.kit(agent);
  const settings = tools !== "offered" && kit.specs.length > 0 ? { ...agent.settings, toolChoice: "none" as const } : agent.settings;
  return {
    instructions: agent.output ? `${instructions}\n\n${outputInstructions(agent.output)}`.trim() : instructions,
    messages,
    tools: specsFor(turn, kit),
    settings,
  };
}

async function callInstructions(turn: OpenTurn, options: TurnOptions): Promise<string> {
  const { instructions } = turn.agent;
  if (typeof instructions === "string") return instructions;
  const call = () => Promise.resolve(instructions(turnContext(turn)));
  const given: unknown = await withAbort(options.enclose ? options.enclose(call, instructions) : call(), options.abort);
  if (typeof given === "string") return given;
  throw new FlowerError("bad-config", `The instructions function of agent "${turn.agent.name}" must give a text, not ${shown(given)}.`);
}

function specsFor(turn: OpenTurn, kit: AgentKit) {
  return turn.handoffLimitHit ? kit.specsWithoutTransfers : kit.specs;
}

function turnContext(turn: OpenTurn) {
  return { sessionId: turn.sessionId, agent: turn.agent.name, metadata: turn.metadata };
}

type Finish = EnginePart & { readonly type: "finish" };

/** Collects a reply's parts. Holds the newest block's event back until the next part, so that the last can carry the usage. */
class ReplyBuilder {
  /** Text given out so far, also of a block not yet closed. */
  shown = "";
  /** The event that became due with the newest part, if any. */
  due: Event | undefined;
  /** The part that ended the reply. */
  last: Finish | undefined;
  readonly #parts: Part[] = [];
  readonly #calls: CallPart[] = [];
  /** Kinds of which deltas came after the last block: text that would be lost. */
  readonly #unclosed = { text: false, reasoning: false };
  readonly #turn: OpenTurn;
  readonly #options: TurnOptions;
  readonly #engine: Engine;
  readonly #base: Speech;
  #held: HeldBlock | undefined;

  constructor(turn: OpenTurn, options: TurnOptions, engine: Engine) {
    this.#turn = turn;
    this.#options = options;
    this.#engine = engine;
    this.#base = { agent: turn.agent.name, iteration: turn.iterations, ...options.origin };
  }

  /** Whether an event became due, or the reply is complete. */
  add(part: EnginePart): boolean {
    this.due = this.#add(part);
    return this.due !== undefined || this.last !== undefined;
  }

  #add(part: EnginePart): Event | undefined {
    switch (part.type) {
      case "delta":
        this.#unclosed[part.of] ||= part.text !== "";
        if (part.of === "text") this.shown += part.text;
        return this.#delta(part.of, part.text);
      case "block":
        return this.#hold(this.#block(part));
      case "call":
        return this.#hold(this.#call(part));
      case "alive":
        return undefined;
      case "finish":
        return this.#finish(part);
      default:
        return part satisfies never;
    }
  }

  #finish(part: Finish): Event | undefined {
    const unclosed = this.#unclosed.text ? "text" : this.#unclosed.reasoning ? "reasoning" : undefined;
    if (unclosed) throw contractBroken(this.#engine, `deltas of ${unclosed} that no block closed`);
    const { usage } = part;
    this.last = part;
    this.#turn.addUsage(usage);
    this.#turn.context = contextTokens(usage);
    const speech: Speech = { context: this.#turn.context, model: part.model ?? this.#engine.model, usage, ...this.#base };
    return this.#held && toEvent(this.#held, usage.costUsd === undefined ? speech : { costUsd: usage.costUsd, ...speech });
  }

  result(part: Finish): Reply {
    if (part.reason === "content-filter") throw new FlowerError("content-filter", "The provider withheld the answer (content filter).");
    const message = this.#turn.message("model", this.#parts, {
      agent: this.#turn.agent.name,
      provider: this.#engine.provider,
      model: part.model ?? this.#engine.model,
      usage: part.usage,
      ...(part.reason === "length" ? { cut: true } : {}),
    });
    return { message, calls: this.#calls, finish: part.reason };
  }

  #block(part: EnginePart & { type: "block" }): HeldBlock {
    const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
    this.#unclosed[part.of] = false;
    this.#parts.push({ type: part.of, text: part.text, ...metadata });
    return { kind: part.of === "text" ? "text" : "thinking", text: part.text };
  }

  #call(part: EnginePart & { type: "call" }): HeldBlock {
    const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
    const call: CallPart = { type: "call", callId: newCallId(), name: part.name, args: part.args, ...metadata };
    this.#parts.push(call);
    this.#calls.push(call);
    return { kind: "tool_call", text: summarizeCall(part.args), tool: part.name, id: call.callId, input: part.args };
  }

  #hold(block: HeldBlock): Event | undefined {
    const due = this.#held && toEvent(this.#held, this.#base);
    this.#held = block;
    return due;
  }

  #delta(of: "text" | "reasoning", text: string): Event | undefined {
    const { deltas } = this.#options;
    if (deltas === false) return undefined;
    const payload = { of: of === "text" ? ("text" as const) : ("thinking" as const), block: this.#parts.length, ...this.#base };
    const event = makeEvent("delta", text, payload);
    if (deltas === true) return event;
    deltas(event);
    return undefined;
  }
}

type HeldBlock =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "tool_call"; readonly text: string; readonly tool: string; readonly id: string; readonly input: Json };

function toEvent(block: HeldBlock, speech: Speech): Event {
  if (block.kind !== "tool_call") return makeEvent(block.kind, block.text, speech);
  return makeEvent("tool_call", block.text, { id: block.id, input: block.input, ...speech }, { tool: block.tool });
}
