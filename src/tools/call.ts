import { abortReason, type LinkedAbort, linkAbort, throwIfAborted, withAbort } from "../core/abort.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { FlowerError, isFlowerError, messageOf } from "../core/errors.ts";
import { randomName } from "../core/ids.ts";
import { copyJson, isRecord, type Json, toJson } from "../core/json.ts";
import type { Validated } from "../core/schema.ts";
import type { CallPart, ResultContent } from "../messages/message.ts";
import { CallContext } from "./call-context.ts";
import { lostInJson } from "./lost-in-json.ts";
import { type Tool, type ToolContext, type ToolOutput, type ToolReturn, toToolOutput } from "./tool.ts";

/** A check around tool calls, known tool or not. */
export interface CallGuard {
  /** A text denies the call: the model reads it as an error result. Undefined lets it pass. */
  before?(call: CallPart, context: ToolContext): string | undefined | Promise<string | undefined>;
  /** May replace the outcome, e.g. by a pointer to a file that holds it. Only for calls that no guard has denied. */
  after?(call: CallPart, outcome: CallOutcome, context: ToolContext): CallOutcome | Promise<CallOutcome>;
  /** Told of a call that a guard denied, with the text for the model; gives that text, or more of it. */
  refused?(call: CallPart, text: string): string;
}

/** What one call came to. */
export interface CallOutcome {
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
  /** A guard or a person refused the call; the tool never ran. */
  readonly denied?: true;
  /** For logs, never for the model. */
  readonly detail?: string;
}

export interface CallOptions {
  /** Of which the context's signal is the signal; listening to it is cheaper. */
  readonly abort?: LinkedAbort;
  /** Runs the code of tools and guards; told whose it is. */
  readonly inside?: <T>(work: () => T, owner: object) => T;
  readonly guards?: readonly CallGuard[];
  /** Asked once the args are known to be valid: undefined lets the call run, an outcome refuses it, "pending" leaves it open. */
  readonly authorize?: (tool: Tool, args: unknown) => Promise<CallOutcome | "pending" | undefined> | undefined;
  /** Told right before the tool runs. */
  readonly onStart?: () => Promise<void>;
  /** Told of a tool that goes on after its call was given up (timeout, abort). */
  readonly onOutlived?: (still: Promise<LateEnd>) => void;
  /** For tools without their own; default 120,000. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** How a tool ended whose call had been given up: with a result, which is dropped, or by failing, as one does that is stopped. */
export type LateEnd = "result" | "failure";

/** Without `authorize` no call can stay pending. */
type UnaskedCall = CallOptions & { readonly authorize?: undefined };

const DEFAULT_TOOL_TIMEOUT_MS = 120_000;

/**
 * Runs one call: guards → validate → authorize → run → guards. Gives an outcome that the model can read whatever the tool does,
 * except for a call that is left "pending", an abort (rejects with the signal's reason, however deaf the rest is), and
 * `fatal-tool-error`, which a tool throws to fail the whole turn. What guards and `authorize` throw fails the turn too.
 */
export function runCall(call: CallPart, tool: Tool | string, context: ToolContext, options?: UnaskedCall): Promise<CallOutcome>;
export function runCall(call: CallPart, tool: Tool | string, context: ToolContext, options: CallOptions): Promise<CallOutcome | "pending">;
export function runCall(
  call: CallPart,
  tool: Tool | string,
  context: ToolContext,
  options: CallOptions = {},
): Promise<CallOutcome | "pending"> {
  const { guards = [] } = options;
  return guards.length > 0 ? runGuarded(guards, call, tool, context, options) : runUnguarded(call, tool, context, options);
}

async function runGuarded(
  guards: readonly CallGuard[],
  call: CallPart,
  tool: Tool | string,
  context: ToolContext,
  options: CallOptions,
): Promise<CallOutcome | "pending"> {
  const abort = options.abort ?? context.signal;
  const { inside = directly } = options;
  throwIfAborted(abort);
  for (const guard of guards) {
    const judging = inside(() => guard.before?.(call, context), guard);
    const denied = await hearing(abort, judging);
    if (denied !== undefined) return { denied: true, ...failed(refusalOf(guards, call, denied)) };
  }
  let outcome = await runUnguarded(call, tool, context, options);
  if (outcome === "pending") return outcome;
  for (const guard of guards) {
    const unguarded: CallOutcome = outcome;
    const guarded = inside(() => guard.after?.(call, unguarded, context), guard);
    if (guarded !== undefined) outcome = await hearing(abort, guarded);
  }
  return outcome;
}

/** What the model reads of a call that a guard has denied with this text. */
export function refusalOf(guards: readonly CallGuard[], call: CallPart, denied: string): string {
  return guards.reduce((text, guard) => guard.refused?.(call, text) ?? text, denied);
}

/** Validate → authorize → run. */
async function runUnguarded(
  call: CallPart,
  tool: Tool | string,
  context: ToolContext,
  options: CallOptions,
): Promise<CallOutcome | "pending"> {
  const abort = options.abort ?? context.signal;
  throwIfAborted(abort);
  if (typeof tool === "string") return failed(tool);
  const reading = readArgs(call, tool, abort);
  const checked = reading instanceof Promise ? await reading : reading;
  if ("refused" in checked) return checked.refused;
  const asked = options.authorize?.(tool, checked.args);
  const refused = asked && (await withAbort(asked, abort));
  if (refused) return refused;
  throwIfAborted(abort);
  await options.onStart?.();
  try {
    const running = runInTime(tool, checked.args, context, options);
    return toOutcome(tool.name, running instanceof Promise ? await running : running);
  } catch (error) {
    if (abort.aborted) throw abortReason(abort);
    if (isFlowerError(error, "fatal-tool-error") || isFlowerError(error, "parked")) throw error;
    if (isFlowerError(error, "tool-timeout")) return failed(error.message);
    return thrown(tool.name, error);
  }
}

type ReadArgs = { readonly args: unknown } | { readonly refused: CallOutcome };

/** The args as the tool gets them: validated, and its own to change. */
function readArgs(call: CallPart, tool: Tool, abort: AbortSignal | LinkedAbort): ReadArgs | Promise<ReadArgs> {
  if (!isRecord(call.args)) return { refused: invalidArgs(tool.name, ["they are not a JSON object"]) };
  const toRead = (checked: Validated<unknown>): ReadArgs =>
    checked.ok ? { args: checked.value } : { refused: invalidArgs(tool.name, checked.issues) };
  const toRefused = (error: unknown): ReadArgs => {
    if (abort.aborted) throw abortReason(abort);
    return { refused: thrown(tool.name, error) };
  };
  try {
    const checking = tool.parameters.validate(copyJson(call.args));
    return checking instanceof Promise ? withAbort(checking, abort).then(toRead).catch(toRefused) : toRead(checking);
  } catch (error) {
    return toRefused(error);
  }
}

function invalidArgs(name: string, issues: readonly string[]): CallOutcome {
  return failed(
    `Invalid arguments for "${name}": ${issues.map((issue) => issue.replace(/\.+$/, "")).join("; ")}. Correct them and call again.`,
  );
}

/** Whatever is waited for, an abort ends the waiting. */
function hearing<T>(abort: AbortSignal | LinkedAbort, waitedFor: T | Promise<T>): T | Promise<T> {
  return waitedFor instanceof Promise ? withAbort(waitedFor, abort) : waitedFor;
}

/** What does not answer at once gets its time, and no more. */
function runInTime(tool: Tool, args: unknown, context: ToolContext, options: CallOptions): ToolOutput | Promise<ToolOutput> {
  const { inside = directly, abort = context.signal } = options;
  let link: LinkedAbort | undefined; // made for those who wait, or look at their signal
  const own = () => (link ??= linkAbort(abort));
  let waiting = false;
  try {
    const returned = inside(() => tool.execute(args, new CallContext(context, () => own().signal)), tool);
    waiting = isPromiseLike(returned);
    if (isPromiseLike(returned)) return wait(Promise.resolve(returned), tool, own(), options);
    throwIfAborted(abort);
    return toOutput(returned);
  } finally {
    if (!waiting) link?.dispose();
  }
}

async function wait(running: Promise<ToolReturn>, tool: Tool, link: LinkedAbort, options: CallOptions): Promise<ToolOutput> {
  const ms = tool.timeoutMs ?? options.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
  const clock = options.clock ?? systemClock;
  const cancel = Number.isFinite(ms) ? clock.after(ms, () => link.abort(timedOut(tool.name, ms))) : nothing;
  let over = false;
  const ended = running.finally(() => {
    over = true;
  });
  try {
    return toOutput(await withAbort(ended, link));
  } finally {
    cancel();
    link.dispose();
    if (!over) options.onOutlived?.(ended.then(gaveResult, failedLate)); // its late result is dropped
  }
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function timedOut(name: string, ms: number): FlowerError {
  return new FlowerError("tool-timeout", `"${name}" was stopped after ${ms / 1000} s. Try a smaller piece of work.`);
}

function nothing(): void {}

function gaveResult(): LateEnd {
  return "result";
}

function failedLate(): LateEnd {
  return "failure";
}

function directly<T>(work: () => T): T {
  return work();
}

/** A returned error is a thrown one: as data it would be an empty object. */
function toOutput(returned: ToolReturn): ToolOutput {
  if (returned instanceof Error) throw returned;
  return toToolOutput(returned);
}

/**
 * The output as it is now, as plain JSON: a result is history, whatever the tool does later with what it returned. What JSON would
 * silently lose is an error instead.
 */
function toOutcome(name: string, output: ToolOutput): CallOutcome {
  for (const part of output.content) {
    const lost = part.type === "json" ? lostInJson(part.value) : undefined;
    if (lost !== undefined) return failed(`"${name}" returned something that is not JSON data.`, `"${name}" returned ${lost}.`);
  }
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
