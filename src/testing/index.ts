export { type RecordedRequest, type ScriptedAnswer, ScriptedEngine, type ScriptedReply, type ScriptedStep } from "../engines/scripted.ts";
export { FakeClock } from "./fake-clock.ts";
export { FAULT_POINTS, type FaultHook, type FaultPoint, failAt, killAt } from "./faults.ts";
export {
  type MakeSessionStore,
  SESSION_STORE_CASES,
  type SessionStoreCase,
  type SessionStoreFixture,
  testSessionStore,
} from "./session-store.ts";
