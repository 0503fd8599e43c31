export { Agent, type AgentLimits, type AgentOptions, type Instructions, type PermissionMode, type Permissions } from "./agents/agent.ts";
export type { Backend, BackendOutcome, BackendQuery } from "./backends/backend.ts";
export { ERROR_CODES, type ErrorCode, FlowerError, isFlowerError } from "./core/errors.ts";
export type { Json, JsonObject } from "./core/json.ts";
export type { Ask, AskPurpose } from "./human/ask.ts";
export { HumanChannel } from "./human/channel.ts";
export type { AskOptions, HumanChannelOptions } from "./human/channel-options.ts";
export { DECLINED, OVER_BUDGET, TIMEOUT } from "./human/fixed-texts.ts";
export type { Mail } from "./human/mail.ts";
export { LANGUAGES, type Language, renderLabel } from "./i18n/catalogue.ts";
export {
  EVENT_KINDS,
  type Event,
  type EventKind,
  type EventOf,
  type EventPayloads,
  type EventSink,
  eventToString,
  type LoggedEvent,
} from "./messages/event.ts";
export { checkHistory, type HistoryProblem, type HistoryWindow } from "./messages/history.ts";
export { callsOf, type Message, type Part, type Role, textOf, type UserInput } from "./messages/message.ts";
export type { Usage } from "./messages/usage.ts";
export type { ApprovalAnswer, ApprovalDecision, Approve, PendingCall } from "./runner/approval.ts";
export type { AgentResponse, FinishReason } from "./runner/response.ts";
export type { Run } from "./runner/run.ts";
export { Runner } from "./runner/runner.ts";
export type { RunnerOptions, SessionView, StreamRequest, TurnRequest } from "./runner/runner-options.ts";
export type { OracleAnswer, OracleOptions } from "./runtime/aside.ts";
export type { Attendant } from "./runtime/attendant.ts";
export { type CoordinatorOptions, clarifier, coordinator, goalSetter, judge, oracle, type RoleOptions, worker } from "./runtime/roles.ts";
export type { EventsOptions } from "./runtime/run-books.ts";
export { type RunOptions, Runtime, type RuntimeOptions } from "./runtime/runtime.ts";
export type { StepResult } from "./runtime/step-result.ts";
export { MemorySessionStore } from "./sessions/memory.ts";
export type { SessionLease, SessionState, SessionStore } from "./sessions/store.ts";
export type { CallGuard } from "./tools/call.ts";
export { type Tool, type ToolContext, type ToolOptions, tool, toolOutput } from "./tools/tool.ts";
export { type FollowOptions, followEvents } from "./workbench/event-follower.ts";
export { Workbench } from "./workbench/workbench.ts";
export * from "./workflow/index.ts";
