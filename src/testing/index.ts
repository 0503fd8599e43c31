export { ScriptedEngine, type ScriptedReply, type ScriptedStep } from "../engines/scripted.ts";
export { FakeClock } from "./fake-clock.ts";
