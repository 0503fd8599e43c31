import { throwIfAborted } from "../core/abort.ts";
import { shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { CallPart } from "../messages/message.ts";
import { type CallOutcome, failed, thrown } from "../tools/call.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { TurnOptions } from "./turn-loop.ts";

/** A call that waits for a person's decision. */
export interface PendingCall {
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  readonly args: Json;
  /** The agent that asks for it. */
  readonly agent: string;
}

/** A person's word on one call. */
export interface ApprovalDecision {
  readonly callId: string;
  readonly approve: boolean;
  /** Read by the model when refused. */
  readonly reason?: string;
}

/** Decides at once; "pending" leaves the call open and pauses the turn. */
export type Approve = (call: PendingCall, context: ToolContext) => ApprovalAnswer | Promise<ApprovalAnswer>;
export type ApprovalAnswer = boolean | "pending" | Omit<ApprovalDecision, "callId">;

/** Who decides about calls, in the order they are asked. */
type Deciders = Pick<TurnOptions, "decisions" | "approve" | "enclose">;

/** Whether a call may run: tools that need no approval may; else a decision that was given, else `approve`, else it is pending. */
export function authorizeCall(
  tool: Tool,
  args: unknown,
  call: CallPart,
  context: ToolContext,
  options: Deciders,
): Promise<CallOutcome | "pending" | undefined> | undefined {
  if (tool.needsApproval === false) return undefined;
  return askWhetherToRun(tool, args, call, context, options);
}

async function askWhetherToRun(tool: Tool, args: unknown, call: CallPart, context: ToolContext, options: Deciders) {
  const { enclose = directly } = options;
  try {
    const { needsApproval } = tool;
    if (typeof needsApproval === "function" && !(await enclose(() => needsApproval(args, context), needsApproval))) return undefined;
  } catch (error) {
    return thrown(tool.name, error);
  }
  throwIfAborted(context.signal);
  const given = options.decisions?.get(call.callId);
  const asked = { callId: call.callId, name: call.name, args: call.args, agent: context.agent };
  const answer = given ?? (await enclose(() => options.approve?.(asked, context), options.approve)) ?? "pending";
  if (answer === "pending") return "pending" as const;
  if (typeof answer !== "boolean" && typeof answer?.approve !== "boolean") throw noAnswer(tool.name, answer);
  const { approve, reason } = typeof answer === "boolean" ? { approve: answer, reason: undefined } : answer;
  return approve ? undefined : { denied: true as const, ...failed(refusal(tool.name, reason)) };
}

/** Taken for a yes or a no, it could be the wrong one. */
function noAnswer(name: string, answer: unknown): FlowerError {
  const what = `approve gave ${shown(answer)} for a call of "${name}"`;
  return new FlowerError("bad-config", `${what}; it must give true, false, "pending" or { approve, reason }.`);
}

function directly<T>(work: () => T): T {
  return work();
}

function refusal(name: string, reason: string | undefined): string {
  const words = reason?.trim() ?? "";
  const why = words === "" ? "" : ` They say: ${words}${/[.!?…。!?]["”»」)]?$/.test(words) ? "" : "."}`;
  return `The person did not allow this call of "${name}".${why} Do not try it in another form.`;
}
