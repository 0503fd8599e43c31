import { checkOptions, type OptionKinds, shown } from "../core/check-options.ts";
import { FlowerError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { callsOf } from "../messages/message.ts";
import type { JournalEntry } from "../sessions/store.ts";
import { lostInJson } from "../tools/lost-in-json.ts";
import type { ApprovalDecision } from "./approval.ts";
import type { StreamRequest } from "./runner-options.ts";

const REQUEST: OptionKinds<StreamRequest> = { metadata: "record", signal: "any", timeoutMs: "ms", deltas: "flag" };
const DECISION: OptionKinds<ApprovalDecision> = { callId: "text", approve: "flag", reason: "text" };

/** Throws `bad-input` for an option of a turn that is unknown or cannot hold its value. */
export function checkRequest(request: StreamRequest): void {
  if (request instanceof AbortSignal) throw bad("The turn's request must be an object; give the signal as { signal }.");
  checkOptions("The turn's request", request, REQUEST, "bad-input");
  const { signal } = request;
  if (signal === undefined || isSignal(signal)) return;
  throw bad(`The turn's request: signal must be an AbortSignal, e.g. of new AbortController(), not ${shown(signal)}.`);
}

function isSignal(value: unknown): boolean {
  return isRecord(value) && typeof value["aborted"] === "boolean" && typeof value["addEventListener"] === "function";
}

/** Throws `bad-input` for what are no decisions, and for two about one call. */
export function checkDecisions(decisions: readonly ApprovalDecision[]): void {
  const form = "Decisions must be a list of { callId, approve, reason? }, one for each call that is decided";
  if (!Array.isArray(decisions)) throw bad(`${form}, not ${shown(decisions)}.`);
  const seen = new Set<string>();
  for (const [index, decision] of decisions.entries()) {
    checkOptions(`Decision ${index + 1}`, decision, DECISION, "bad-input");
    const { callId, approve } = decision;
    if (callId === undefined || approve === undefined)
      throw bad(`${form}; number ${index + 1} has no ${callId === undefined ? "callId" : "approve"}.`);
    if (seen.has(callId)) throw bad(`There are two decisions about the call "${callId}". Give one.`);
    seen.add(callId);
  }
}

/** Throws `bad-input` for a decision about a call that the open turn never made. One about a call that has run since is too late, not wrong. */
export function checkDecidedCalls(decisions: readonly ApprovalDecision[], entries: readonly JournalEntry[]): void {
  if (decisions.length === 0) return;
  const calls = entries.flatMap((entry) => (entry.type === "message" ? callsOf(entry.message).map((call) => call.callId) : []));
  const stranger = decisions.find((decision) => !calls.includes(decision.callId));
  if (!stranger) return;
  throw bad(`The open turn has no call "${stranger.callId}". Decide about the calls in the response's pending: ${calls.join(", ")}.`);
}

/** Throws `bad-input` for metadata that would not be the same when read again. */
export function checkMetadata(metadata: unknown): void {
  if (!isRecord(metadata)) throw bad(`A session's metadata must be an object of JSON data, not ${shown(metadata)}.`);
  const lost = lostInJson(metadata);
  if (lost !== undefined) throw bad(`A session's metadata must be JSON data; this holds ${lost}.`);
}

function bad(message: string): FlowerError {
  return new FlowerError("bad-input", message);
}
