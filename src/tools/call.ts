import { abortReason, LazyAbort, onAbort, throwIfAborted, withAbort } from "../core/abort.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError, isFlowerError, messageOf } from "../core/errors.ts";
import { randomName } from "../core/ids.ts";
import { copyJson, isRecord, type Json, toJson } from "../core/json.ts";
import type { CallPart, ResultContent } from "../messages/message.ts";
import { type Tool, type ToolContext, type ToolOutput, toToolOutput } from "./tool.ts";

/** A check around tool calls. Both run for every call, known tool or not. */
export interface CallGuard {
  /** A text denies the call: the model reads it as an error result. Undefined lets it pass. */
  before?(call: CallPart, context: ToolContext): string | undefined | Promise<string | undefined>;
  /** May replace the outcome, e.g. by a pointer to a file that holds it. */
  after?(call: CallPart, outcome: CallOutcome, context: ToolContext): CallOutcome | Promise<CallOutcome>;
}

/** What one call came to. */
export interface CallOutcome {
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  /** For logs, never for the model. */
  readonly detail?: string;
}

export interface CallOptions {
  readonly guards?: readonly CallGuard[];
  /** Asked once the args are known to be valid: undefined lets the call run, an outcome refuses it, "pending" leaves it open. */
  readonly authorize?: (tool: Tool, args: unknown) => Promise<CallOutcome | "pending" | undefined> | undefined;
  /** Told right before the tool runs. */
  readonly onStart?: () => Promise<void>;
  /** Told of a tool that goes on after its call was given up (timeout, abort); settles when it does. */
  readonly onOutlived?: (still: Promise<void>) => void;
  /** For tools without their own; default 120,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Without `authorize` no call can stay pending. */
type UnaskedCall = CallOptions & { readonly authorize?: undefined };

const DEFAULT_TOOL_TIMEOUT_MS = 120_000;

/**
 * Runs one call: guards → validate → authorize → run → guards. Gives an outcome that the model can read whatever the tool does,
 * except for a call that is left "pending", an abort (rejects with the signal's reason, however deaf the rest is), and
 * `fatal-tool-error`, which a tool throws to fail the whole turn. What guards and `authorize` throw fails the turn too.
 */
export async function runCall(call: CallPart, tool: Tool | string, context: ToolContext, options?: UnaskedCall): Promise<CallOutcome>;
export async function runCall(
  call: CallPart,
  tool: Tool | string,
  context: ToolContext,
  options: CallOptions,
): Promise<CallOutcome | "pending">;
export async function runCall(
  call: CallPart,
  tool: Tool | string,
  context: ToolContext,
  options: CallOptions = {},
): Promise<CallOutcome | "pending"> {
  const { signal } = context;
  const guards = options.guards ?? [];
  throwIfAborted(signal);
  for (const guard of guards) {
    const denied = await hearing(signal, guard.before?.(call, context));
    if (denied !== undefined) return failed(denied);
  }
  let outcome = typeof tool === "string" ? failed(tool) : await validateAndRun(call, tool, context, options);
  if (outcome === "pending") return outcome;
  for (const guard of guards) {
    if (guard.after) outcome = await hearing(signal, guard.after(call, outcome, context));
  }
  return outcome;
}

async function validateAndRun(call: CallPart, tool: Tool, context: ToolContext, options: CallOptions): Promise<CallOutcome | "pending"> {
  const { signal } = context;
  const checked = await readArgs(call, tool, signal);
  if ("refused" in checked) return checked.refused;
  const refused = await hearing(signal, options.authorize?.(tool, checked.args));
  if (refused) return refused;
  throwIfAborted(signal);
  await options.onStart?.();
  try {
    return toOutcome(await runInTime(tool, checked.args, context, options));
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (isFlowerError(error, "fatal-tool-error")) throw error;
    if (isFlowerError(error, "tool-timeout")) return failed(error.message);
    return thrown(tool.name, error);
  }
}

/** The args as the tool gets them: validated, and its own to change. */
async function readArgs(
  call: CallPart,
  tool: Tool,
  signal: AbortSignal,
): Promise<{ readonly args: unknown } | { readonly refused: CallOutcome }> {
  if (!isRecord(call.args)) return { refused: invalidArgs(tool.name, ["they are not a JSON object"]) };
  try {
    const checked = await hearing(signal, tool.parameters.validate(copyJson(call.args)));
    return checked.ok ? { args: checked.value } : { refused: invalidArgs(tool.name, checked.issues) };
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    return { refused: thrown(tool.name, error) };
  }
}

function invalidArgs(name: string, issues: readonly string[]): CallOutcome {
  return failed(`Invalid arguments for "${name}": ${issues.join("; ")}. Correct them and call again.`);
}

/** Whatever is waited for, an abort ends the waiting. */
function hearing<T>(signal: AbortSignal, waitedFor: T | Promise<T>): T | Promise<T> {
  return waitedFor instanceof Promise ? withAbort(waitedFor, signal) : waitedFor;
}

/** A tool that answers at once costs no timer; one that takes time is cut off by its timeout and by an abort, deaf or not. */
async function runInTime(tool: Tool, args: unknown, context: ToolContext, options: CallOptions): Promise<ToolOutput> {
  throwIfAborted(context.signal);
  const abort = new LazyAbort();
  const own: ToolContext = {
    ...context,
    get signal() {
      return abort.signal;
    },
  };
  let stop: (reason: unknown) => void = (reason) => abort.abort(reason);
  const unlink = onAbort(context.signal, () => stop(abortReason(context.signal)));
  let cancel = nothing;
  let outlived: Promise<void> | undefined;
  try {
    const returned = tool.execute(args, own);
    if (!isPromiseLike(returned)) return toToolOutput(returned);
    const running = Promise.resolve(returned);
    const cut = new Promise<never>((_, reject) => {
      stop = (reason) => {
        abort.abort(reason);
        reject(reason);
      };
    });
    if (abort.aborted) stop(abort.reason);
    const ms = tool.timeoutMs ?? options.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
    if (Number.isFinite(ms)) cancel = (options.clock ?? systemClock).after(ms, () => stop(timedOut(tool.name, ms)));
    outlived = running.then(nothing, nothing);
    const output = toToolOutput(await Promise.race([running.finally(() => (outlived = undefined)), cut]));
    return output;
  } finally {
    cancel();
    unlink();
    if (outlived) options.onOutlived?.(outlived); // its late result is dropped
  }
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

function timedOut(name: string, ms: number): FlowerError {
  return new FlowerError("tool-timeout", `"${name}" was stopped after ${ms / 1000} s. Try a smaller piece of work.`);
}

function nothing(): void {}

/** The output as it is now, as plain JSON: a result is history, whatever the tool does later with what it returned. */
function toOutcome(output: ToolOutput): CallOutcome {
  const content = output.content.map((part) => (part.type === "json" ? { ...part, value: toJson(part.value) } : part));
  return { content, isError: output.isError ?? false };
}

/** An error result with this text. */
export function failed(text: string, detail?: string): CallOutcome {
  return { content: [{ type: "text", text }], isError: true, ...(detail === undefined ? {} : { detail }) };
}

/** The model gets a trace id, the log gets the error: messages of exceptions may hold paths, hosts or secrets. */
export function thrown(name: string, error: unknown): CallOutcome {
  const trace = randomName(8);
  const detail = `[${trace}] ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`;
  return failed(`"${name}" failed (trace ${trace}). The details are in the log.`, detail);
}

/** The text for a call of a tool that does not exist. */
export function unknownToolText(name: string, available: readonly string[]): string {
  return `Tool "${name}" does not exist. Available: ${available.length === 0 ? "none" : available.join(", ")}.`;
}

/** Args as an own-property record; anything else as an empty one. */
export function argsRecord(args: Json): Readonly<Record<string, Json>> {
  return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Readonly<Record<string, Json>>) : {};
}
