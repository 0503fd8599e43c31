import { brand, hasBrand } from "../core/brand.ts";
import { checkOptions, checkSchemaType, type OptionKinds } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { type Schema, type SchemaInput, type SchemaOutput, toSchema } from "../core/schema.ts";
import type { Event } from "../messages/event.ts";
import type { Message, ResultContent } from "../messages/message.ts";

/** What a running tool can see. */
export interface ToolContext {
  readonly sessionId: string;
  /** Names from the main agent down to the one that calls. */
  readonly path: readonly string[];
  /** The agent that calls: the last of `path`. */
  readonly agent: string;
  readonly callId: string;
  /** The session's metadata with the turn's merged over it. */
  readonly metadata: JsonObject;
  /** The session so far, the current turn included. Read-only; copy what you keep. */
  readonly history: readonly Message[];
  /** Aborts with the turn and at the tool's own timeout. */
  readonly signal: AbortSignal;
  /** Whatever the application registered with its Runner or Runtime. */
  readonly services: Readonly<Record<string, unknown>>;
  /**
   * Passes an event of the tool's own work (a subagent's speech, progress) to whoever watches. A tool that makes many awaits it, so as
   * not to run ahead of a slow watcher.
   */
  emit(event: Event): void | Promise<void>;
}

/** A tool's answer with its parts told apart. */
export interface ToolOutput {
  readonly content: readonly ResultContent[];
  readonly isError?: boolean;
}

/** What `execute` may return: text, JSON data, nothing, or a full `ToolOutput` made by `toolOutput`. */
export type ToolReturn = string | Json | undefined | void | ToolOutput;

/** A tool, ready to be offered. Frozen; made by `tool`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  /** Milliseconds; default 120,000. */
  readonly timeoutMs?: number;
  /** Ask a person first. */
  readonly needsApproval: boolean | ((args: unknown, context: ToolContext) => boolean | Promise<boolean>);
  /** True when running it twice does no more than once; a call in flight at a crash may then be run again. */
  readonly idempotent: boolean;
  /** False when its calls must run alone, in order. */
  readonly parallel: boolean;
  /** The args have been validated. */
  execute(args: unknown, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

export interface ToolOptions<S extends SchemaInput> {
  /** Letters, digits, `_` and `-`, at most 64 (what every provider accepts). */
  readonly name: string;
  readonly description: string;
  /** Any Standard Schema or a JSON Schema object, for an object of arguments. */
  readonly parameters: S;
  readonly timeoutMs?: number;
  readonly needsApproval?: boolean | ((args: SchemaOutput<S>, context: ToolContext) => boolean | Promise<boolean>);
  readonly idempotent?: boolean;
  readonly parallel?: boolean;
  execute(args: SchemaOutput<S>, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

const TOOL_OPTIONS: OptionKinds<ToolOptions<SchemaInput>> = {
  name: "any",
  description: "any",
  parameters: "any",
  timeoutMs: "ms",
  needsApproval: "any",
  idempotent: "any",
  parallel: "any",
  execute: "any",
};
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Declares a tool. Its schema is converted to JSON Schema here, once; a wrong name or schema fails here, not in a turn. */
export function tool<S extends SchemaInput>(options: ToolOptions<S>): Tool {
  checkOptions<ToolOptions<SchemaInput>>("tool()", options as ToolOptions<SchemaInput>, TOOL_OPTIONS);
  if (typeof options.name !== "string" || !TOOL_NAME.test(options.name)) {
    throw new FlowerError(
      "bad-config",
      `Tool name "${options.name}" must be 1–64 letters, digits, "_" or "-", beginning with a letter or "_".`,
    );
  }
  const owner = `Tool "${options.name}"`;
  if (typeof options.execute !== "function") throw new FlowerError("bad-config", `${owner} needs an execute function.`);
  const parameters = toSchema(options.parameters, owner);
  checkSchemaType(owner, parameters.json);
  checkIsObject(owner, parameters.json);
  const made: Tool = {
    name: options.name,
    description: options.description,
    parameters,
    timeoutMs: options.timeoutMs,
    needsApproval: (options.needsApproval ?? false) as Tool["needsApproval"],
    idempotent: options.idempotent ?? false,
    parallel: options.parallel ?? true,
    execute: options.execute as Tool["execute"],
  };
  brand(made, "tool");
  return Object.freeze(made);
}

/** Every provider takes arguments as an object, by name. A schema without a type (a union of objects) is left to it. */
function checkIsObject(owner: string, { type }: { readonly type?: unknown }): void {
  if (type === undefined || [type].flat().includes("object")) return;
  const wanted = 'parameters must describe an object of arguments (type: "object", with properties)';
  throw new FlowerError("bad-config", `${owner}: ${wanted}, not ${JSON.stringify(type)}.`);
}

export function isTool(value: unknown): value is Tool {
  return hasBrand(value, "tool");
}

/** A tool's answer in parts; the way to return images or to mark an error for the model to read. */
export function toolOutput(content: string | readonly ResultContent[], options: { readonly isError?: boolean } = {}): ToolOutput {
  const parts: readonly ResultContent[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const output: ToolOutput = { content: parts, isError: options.isError ?? false };
  brand(output, "output");
  return output;
}

/** What a tool returned, as the content of its result. */
export function toToolOutput(returned: ToolReturn): ToolOutput {
  if (hasBrand(returned, "output")) return returned as ToolOutput;
  if (returned === undefined || returned === null) return { content: [{ type: "text", text: "Done." }] };
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  return { content: [{ type: "json", value: returned as Json }] };
}
