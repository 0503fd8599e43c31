import { type LinkedAbort, linkAbort, throwIfAborted, withAbort } from "../../core/abort.ts";
import type { Clock } from "../../core/clock.ts";
import { isRecord, toJson } from "../../core/json.ts";
import type { Event } from "../../messages/event.ts";
import { type CallPart, resultText } from "../../messages/message.ts";
import { authorizeCall } from "../../runner/approval.ts";
import { type CallGuard, type CallOutcome, failed, refusalOf, runCall, unknownToolText } from "../../tools/call.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { BackendQuery } from "../backend.ts";
import { readOutput } from "./cli-output.ts";
import { withCliPaths } from "./cli-paths.ts";
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
      const denied = await this.#refusal(call, caller, input);
      if (denied === undefined) {
        this.#allowed.add(call.callId);
        return answer("PreToolUse", { permissionDecision: "allow", ...this.#startChange(call, caller) });
      }
      const refusal = refusalOf(this.#guards(caller), call, denied);
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

  /** After a built-in tool: guards see the outcome. They may replace what a command or a search gave; of others the CLI keeps its own. */
  async after(input: SdkHookInput): Promise<SdkHookAnswer> {
    const call = this.#callOf(input);
    if (this.#options.names.own(input.tool_name ?? "") !== undefined) return {};
    const caller = this.#callerOf(input);
    const output = await readOutput(call.name, input);
    try {
      let outcome: CallOutcome = { content: [{ type: "text", text: output.text }], isError: input.error !== undefined };
      for (const guard of this.#guards(caller)) outcome = (await guard.after?.(call, outcome, this.#context(call, caller))) ?? outcome;
      const said = resultText(outcome.content);
      const updatedToolOutput = said === output.text ? undefined : output.saying?.(said);
      return updatedToolOutput === undefined ? {} : answer("PostToolUse", { updatedToolOutput });
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

  /**
   * After the calls of one reply. One of a tool that the CLI does not have never comes here, for the CLI refuses it in words of its
   * own; ours go along with `given`.
   */
  afterAll(input: SdkHookInput, given: SdkHookAnswer): SdkHookAnswer {
    const caller = this.#callerOf(input);
    const offered = this.#offered(caller);
    const unknown = (input.tool_calls ?? []).filter(
      ({ tool_name, tool_use_id }) => !this.#callers.has(tool_use_id) && !offered.includes(tool_name),
    );
    if (unknown.length === 0 || given.continue === false) return given;
    const { names } = this.#options;
    const wanted = [...new Set(unknown.map(({ tool_name }) => `"${names.toOurs(tool_name)}"`))];
    const available = offered.map((name) => names.toOurs(name));
    const text = notAvailable(wanted, available);
    const said = given.hookSpecificOutput?.additionalContext;
    return answer("PostToolBatch", { additionalContext: said === undefined ? text : `${said}\n\n${text}` });
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
    const offered = this.#offered(caller);
    if (offered.includes(input.tool_name ?? "")) return startRefusal(call, caller);
    const available = offered.map((name) => names.toOurs(name));
    return unknownToolText(call.name, available);
  }

  /** By the CLI's names. */
  #offered({ agent, subagents }: Member): readonly string[] {
    return [...this.#options.names.offered(agent), ...(subagents.length > 0 ? ["Agent"] : [])];
  }

  /** A subagent is named, and waited for. */
  #startChange(call: CallPart, caller: Member): { readonly updatedInput?: Readonly<Record<string, unknown>> } {
    if (call.name !== "Agent" || !isRecord(call.args)) return {};
    const type = call.args["subagent_type"] ?? caller.subagents[0]?.name;
    return { updatedInput: { ...call.args, subagent_type: type, run_in_background: false } };
  }

  #callOf(input: SdkHookInput): CallPart {
    const { names, query } = this.#options;
    const called = input.tool_name ?? "";
    const args = toJson(input.tool_input ?? {});
    const isOurs = names.own(called) !== undefined;
    return {
      type: "call",
      callId: input.tool_use_id ?? "",
      name: names.toOurs(called),
      args: isOurs ? args : withCliPaths(args, query.workspace),
    };
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

function notAvailable(wanted: readonly string[], available: readonly string[]): string {
  const what = wanted.length === 1 ? `${wanted[0]} is` : `${wanted.join(", ")} are`;
  const list = available.length === 0 ? "none" : available.join(", ");
  return `${what} not available to this agent, on purpose. Available: ${list}. Do the task with these, or say in your answer what cannot be done.`;
}

type HookOutput = Omit<NonNullable<SdkHookAnswer["hookSpecificOutput"]>, "hookEventName">;

function answer(hookEventName: string, output: HookOutput): SdkHookAnswer {
  return { hookSpecificOutput: { hookEventName, ...output } };
}
