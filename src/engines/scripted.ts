import { throwIfAborted, withAbort } from "../core/abort.ts";
import { sleep, systemClock } from "../core/clock.ts";
import { FlowerError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { type Message, textOf } from "../messages/message.ts";
import { NO_USAGE, type Usage } from "../messages/usage.ts";
import type { Engine, EngineCallOptions, EngineFinish, EnginePart, EngineRequest } from "./engine.ts";

/** One model reply, written down: reasoning, then text, then calls. */
export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Figures that are not given are 0, the cost too: a script spends nothing. */
  readonly usage?: Partial<Usage>;
  /** Default: "calls" when there are calls, else "stop". */
  readonly finish?: EngineFinish;
  /** Into how many fragments the text is cut. Default 1. */
  readonly deltas?: number;
  /** Milliseconds before the first part. Default: none, and then no timer is involved. */
  readonly delayMs?: number;
}

export interface ScriptedCall {
  readonly name: string;
  readonly args?: Json;
  /** The arguments are text that is not JSON. */
  readonly malformed?: true;
}

export type ScriptedAnswer = ScriptedReply | string | Error;

/** A reply, a text, an error to throw, or a function of the request that gives one of them. */
export type ScriptedStep = ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Either one step per call, in order, or one function for all calls; calls are numbered from 1. */
export type Script = readonly ScriptedStep[] | ((request: RecordedRequest, callNumber: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** What the engine was asked, as it was at that moment. */
export interface RecordedRequest extends EngineRequest {
  /** The id of the model that was asked. */
  readonly model: string;
}

interface Recording {
  readonly script: Script;
  readonly requests: RecordedRequest[];
}

/**
 * An engine whose replies are written down: the one fake of the tests, and good for offline demos. Keeps the guarantees of
 * `Engine`, records every request, and refuses calls that the script does not foresee.
 */
export class ScriptedEngine implements Engine {
  readonly provider: string;
  readonly model: string;
  #recording: Recording;

  constructor(script: Script, options: { readonly provider?: string; readonly model?: string } = {}) {
    this.provider = options.provider ?? "scripted";
    this.model = options.model ?? "scripted-1";
    this.#recording = { script, requests: [] };
  }

  /** Every request so far, in order; shared with the engines made by `withModel`. */
  get requests(): readonly RecordedRequest[] {
    return this.#recording.requests;
  }

  async *stream(request: EngineRequest, options: EngineCallOptions = {}): AsyncGenerator<EnginePart, void, undefined> {
    const { signal } = options;
    throwIfAborted(signal);
    const pending = this.#answer({ ...request, messages: [...request.messages], model: this.model });
    const answer = pending instanceof Promise ? await withAbort(pending, signal) : pending;
    if (answer instanceof Error) throw answer;
    const reply = typeof answer === "string" ? { text: answer } : answer;
    if (reply.delayMs) await sleep(systemClock, reply.delayMs, signal);
    for (const part of partsOf(reply, this.model)) {
      throwIfAborted(signal);
      yield part;
    }
  }

  /** The same script and record under another model id. */
  withModel(model: string): ScriptedEngine {
    const other = new ScriptedEngine([], { provider: this.provider, model });
    other.#recording = this.#recording;
    return other;
  }

  /** Throws when the script has steps that no call has used. */
  assertComplete(): void {
    const { script, requests } = this.#recording;
    if (typeof script === "function" || requests.length >= script.length) return;
    throw new FlowerError("bad-config", `The script has ${script.length} steps, but only ${requests.length} calls came.`);
  }

  #answer(request: RecordedRequest): ScriptedAnswer | Promise<ScriptedAnswer> {
    const { script, requests } = this.#recording;
    requests.push(request);
    const callNumber = requests.length;
    if (typeof script === "function") return script(request, callNumber);
    const step = script[callNumber - 1];
    if (step === undefined) throw unexpectedCall(callNumber, script.length, request.messages);
    return typeof step === "function" ? step(request) : step;
  }
}

function unexpectedCall(callNumber: number, steps: number, messages: readonly Message[]): FlowerError {
  const lastUser = messages.findLast((message) => message.role === "user");
  const asked = lastUser ? ` Last user text: ${JSON.stringify(textOf(lastUser).slice(0, 200))}.` : "";
  return new FlowerError("bad-config", `Unexpected call ${callNumber} of the scripted engine: its script has ${steps} steps.${asked}`);
}

function* partsOf(reply: ScriptedReply, model: string): Generator<EnginePart, void, undefined> {
  if (reply.reasoning) yield* block("reasoning", reply.reasoning, 1);
  if (reply.text) yield* block("text", reply.text, reply.deltas ?? 1);
  for (const call of reply.calls ?? []) {
    yield { type: "call", name: call.name, args: call.args ?? {}, ...(call.malformed ? { malformed: true } : {}) };
  }
  const reason = reply.finish ?? (reply.calls?.length ? "calls" : "stop");
  yield { type: "finish", reason, usage: reply.usage ? { ...NO_USAGE, ...reply.usage } : NO_USAGE, model };
}

function* block(of: "text" | "reasoning", text: string, fragments: number): Generator<EnginePart, void, undefined> {
  for (const fragment of fragments > 1 ? cut(text, fragments) : [text]) yield { type: "delta", of, text: fragment };
  yield { type: "block", of, text };
}

/** Cuts between characters, never inside a surrogate pair. */
function cut(text: string, fragments: number): readonly string[] {
  const characters = [...text];
  const size = Math.ceil(characters.length / fragments);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}
