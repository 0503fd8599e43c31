import { type LinkedAbort, linkAbort, throwIfAborted, withAbort } from "../../core/abort.ts";
import type { Clock } from "../../core/clock.ts";
import { isRecord, toJson } from "../../core/json.ts";
import type { Event } from "../../messages/event.ts";
import { type CallPart, resultText } from "../../messages/message.ts";
import { authorizeCall } from "../../runner/approval.ts";
import { type CallGuard, type CallOutcome, failed, runCall, unknownToolText } from "../../tools/call.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { BackendQuery } from "../backend.ts";
import type { Crew, Member } from "./crew.ts";
import type { SdkHookAnswer, SdkHookInput, SdkPermission } from "./sdk.ts";
import type { ToolNames } from "./tool-names.ts";
import type { ServedCall } from "./tool-server.ts";

export interface GateOptions {
  readonly query: BackendQuery;
  readonly crew: Crew;
  readonly names: ToolNames;
  readonly abort: LinkedAbort;
  readonly clock: Clock;
  readonly emit: (event: Event) => void;
  /** Ends the query with this error once everything before it has been given on; resolves then. */
  readonly fail: (error: unknown) => Promise<void>;
}

/** What our side did about a call, which the CLI's messages do not say, or say in its own words. */
export interface CallNote {
  readonly text?: string;
  readonly detail?: string;
}

export const NO_MORE_TOOLS = "No more tools can be used in this turn. Answer with what you have.";

/** The CLI's own way to take an answer in a given form. */
const ANSWER_TOOL = "StructuredOutput";

/**
 * Every call of the CLI passes here: before it, the same guards decide as in our own loop; our own tools run here. What a guard or
 * a tool throws to fail the query ends it.
 */
export class CallGate {
  /** Set when the iterations of the main thread are used up. */
  withheld = false;
  readonly notes = new Map<string, CallNote>();
  readonly #options: GateOptions;
  readonly #callers = new Map<string, Member>();
  readonly #allowed = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Before a call: allow it, or deny it with a text that the model reads. */
  async before(input: SdkHookInput): Promise<SdkHookAnswer> {
    const call = this.#callOf(input);
    const caller = this.#callerOf(input);
    this.#callers.set(call.callId, caller);
    try {
      const refusal = await this.#refusal(call, caller, input);
      if (refusal === undefined) {
        this.#allowed.add(call.callId);
        return answer("PreToolUse", { permissionDecision: "allow", ...this.#startChange(call, caller) });
      }
      this.notes.set(call.callId, { text: refusal });
      return answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: refusal });
    } catch (error) {
      await this.#options.fail(error);
      return answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "The run has ended." });
    }
  }

  /** The CLI asks once more about files that it finds sensitive: what has passed here is allowed. */
  confirm(callId: string, input: Readonly<Record<string, unknown>>): SdkPermission {
    if (this.#allowed.has(callId)) return { behavior: "allow", updatedInput: input };
    return { behavior: "deny", message: "Nobody has allowed this call." };
  }

  /** After a built-in tool: guards see the outcome; of Bash they may replace the output, of others the CLI needs its own form. */
  async after(input: SdkHookInput): Promise<SdkHookAnswer> {
    const call = this.#callOf(input);
    if (this.#options.names.own(input.tool_name ?? "") !== undefined) return {};
    const caller = this.#callerOf(input);
    const text = input.error ?? outputText(input.tool_response);
    try {
      let outcome: CallOutcome = { content: [{ type: "text", text }], isError: input.error !== undefined };
      for (const guard of this.#guards(caller)) outcome = (await guard.after?.(call, outcome, this.#context(call, caller))) ?? outcome;
      const said = resultText(outcome.content);
      if (said === text || call.name !== "Bash" || !isRecord(input.tool_response)) return {};
      return answer("PostToolUse", { updatedToolOutput: { ...input.tool_response, stdout: said, stderr: "" } });
    } catch (error) {
      await this.#options.fail(error);
      return {};
    }
  }

  /** Runs one of our tools; its guards have let it pass already. Never rejects. */
  async run({ tool, callId, args, signal }: ServedCall): Promise<CallOutcome> {
    const { query, crew, abort, clock } = this.#options;
    const caller = this.#callers.get(callId) ?? crew.main;
    const link = linkAbort(abort, signal);
    const call: CallPart = { type: "call", callId, name: tool.name, args };
    const context = this.#context(call, caller, link);
    const guards = this.#guards(caller).map((guard): CallGuard => ({ after: guard.after?.bind(guard) }));
    try {
      const outcome = await runCall(call, tool, context, {
        abort: link,
        guards,
        clock,
        authorize: (found, checked) => authorizeCall(found, checked, call, context, { approve: query.approve }),
      });
      if (outcome === "pending") return failed("The call was left without a decision.");
      if (outcome.detail !== undefined) this.notes.set(callId, { detail: outcome.detail });
      return outcome;
    } catch (error) {
      if (!signal.aborted) await this.#options.fail(error);
      return failed("The run has ended.");
    } finally {
      link.dispose();
    }
  }

  async #refusal(call: CallPart, caller: Member, input: SdkHookInput): Promise<string | undefined> {
    const { abort, names, crew } = this.#options;
    if (call.name === ANSWER_TOOL && caller.agent.output) return undefined;
    if (this.withheld && caller === crew.main) return NO_MORE_TOOLS;
    const context = this.#context(call, caller);
    for (const guard of this.#guards(caller)) {
      throwIfAborted(abort);
      const denied = await withAbort(Promise.resolve(guard.before?.(call, context)), abort);
      if (denied !== undefined) return denied;
    }
    const offered = [...names.offered(caller.agent), ...(caller.subagents.length > 0 ? ["Agent"] : [])];
    return offered.includes(input.tool_name ?? "")
      ? startRefusal(call, caller)
      : unknownToolText(
          call.name,
          offered.map((name) => names.toOurs(name)),
        );
  }

  /** A subagent is named, and waited for. */
  #startChange(call: CallPart, caller: Member): { readonly updatedInput?: Readonly<Record<string, unknown>> } {
    if (call.name !== "Agent" || !isRecord(call.args)) return {};
    const type = call.args["subagent_type"] ?? caller.subagents[0]?.name;
    return { updatedInput: { ...call.args, subagent_type: type, run_in_background: false } };
  }

  #callOf(input: SdkHookInput): CallPart {
    const name = this.#options.names.toOurs(input.tool_name ?? "");
    return { type: "call", callId: input.tool_use_id ?? "", name, args: toJson(input.tool_input ?? {}) };
  }

  #callerOf({ agent_id, agent_type }: SdkHookInput): Member {
    const { crew } = this.#options;
    return agent_id === undefined ? crew.main : (crew.below.get(agent_type ?? "") ?? { ...crew.main, subagents: [] });
  }

  #guards({ agent, line }: Member): readonly CallGuard[] {
    const { guards, guardsFor } = this.#options.query;
    const given = line.length > 1 ? (guardsFor?.(line) ?? guards) : guards;
    return [...given, ...agent.guards];
  }

  #context(call: CallPart, { agent, line }: Member, abort: LinkedAbort = this.#options.abort): ToolContext {
    const { query, emit } = this.#options;
    return {
      sessionId: query.sessionId,
      path: line.map((one) => one.name),
      agent: agent.name,
      callId: call.callId,
      metadata: {},
      history: [], // the CLI keeps it
      services: query.services,
      emit,
      get signal() {
        return abort.signal;
      },
    };
  }
}

function startRefusal(call: CallPart, { subagents }: Member): string | undefined {
  if (call.name !== "Agent" || !isRecord(call.args)) return undefined;
  const type = call.args["subagent_type"];
  if (type === undefined || subagents.some((one) => one.name === type)) return undefined;
  return `There is no subagent "${String(type)}". Available: ${subagents.map((one) => one.name).join(", ")}.`;
}

type HookOutput = Omit<NonNullable<SdkHookAnswer["hookSpecificOutput"]>, "hookEventName">;

function answer(hookEventName: string, output: HookOutput): SdkHookAnswer {
  return { hookSpecificOutput: { hookEventName, ...output } };
}

function outputText(response: unknown): string {
  if (typeof response === "string") return response;
  if (!isRecord(response)) return JSON.stringify(toJson(response));
  const { stdout, stderr } = response;
  if (typeof stdout === "string") return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  return JSON.stringify(toJson(response));
}
