import type { ScriptedReply } from "../../src/engines/scripted.ts";
import type { Brief } from "../../src/workbench/brief.ts";
import type { Check } from "../../src/workbench/check.ts";
import { goalToMarkdown } from "../../src/workbench/goal-document.ts";
import type { CheckVerdict, JudgeReport } from "../../src/workflow/verdict.ts";

export const BRIEF: Brief = {
  goal: "A file greeting.txt.",
  criteria: "- greeting.txt says hello",
  boundaries: "Nothing else is touched.",
  unknowns: "none",
};

/** The clarifier hands in a brief. */
export function brief(change: Partial<Brief> = {}): ScriptedReply {
  return { calls: [{ name: "brief", args: { ...BRIEF, ...change } }] };
}

/** The goal-setter hands in a goal. */
export function goal(checks: readonly Check[], statement = "greeting.txt says hello"): ScriptedReply {
  return { calls: [{ name: "goal", args: { statement, checks } as never }] };
}

/** A goal file of one check per text. */
export function goalFile(...checks: readonly (string | Check)[]): string {
  return goalToMarkdown({ statement: "greeting.txt says hello", checks: toChecks(checks) }, "en");
}

export function toChecks(checks: readonly (string | Check)[]): readonly Check[] {
  return checks.map((check) => (typeof check === "string" ? { text: check } : check));
}

type State = CheckVerdict["state"];

/** The judge hands in a verdict: one state per check, with evidence for each. */
export function verdict(states: readonly State[], change: Partial<JudgeReport> = {}): ScriptedReply {
  const checks = states.map((state, index) => ({ number: index + 1, state, evidence: `greeting.txt: line ${index + 1}` }));
  return { calls: [{ name: "verdict", args: { checks, reason: `I saw ${states.join(", ")}.`, ...change } as never }] };
}

/** What a role says after its tool has accepted. */
export const OK = "That is it.";

/** `brief`, `goal` or `verdict`, then the closing sentence. */
export function handIn(reply: ScriptedReply): readonly [ScriptedReply, string] {
  return [reply, OK];
}
