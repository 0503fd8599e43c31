export { type RecordedRequest, type ScriptedAnswer, ScriptedEngine, type ScriptedReply, type ScriptedStep } from "../engines/scripted.ts";
export {
  BACKEND_CASES,
  type BackendCase,
  type BackendFixture,
  type BackendStage,
  type CaseModel,
  type Difference,
  type Heard,
  type Line,
  MAY_DIFFER,
  type MakeBackend,
  type ModelFailure,
  type ModelReply,
  type ModelSays,
  type ModelScript,
  type ModelView,
  type Played,
  testBackend,
  transcriptOf,
} from "./backend.ts";
export { FakeClock } from "./fake-clock.ts";
export { FAULT_POINTS, type FaultHook, type FaultPoint, failAt, killAt } from "./faults.ts";
export {
  type MakeSessionStore,
  SESSION_STORE_CASES,
  type SessionStoreCase,
  type SessionStoreFixture,
  testSessionStore,
} from "./session-store.ts";
