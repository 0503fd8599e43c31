import fc from "fast-check";
import { expect, test } from "vitest";
import { makeGoal } from "../../src/workbench/goal-document.ts";
import type { HardCheckResult } from "../../src/workflow/hard-checks.ts";
import { type CheckVerdict, type DeriveInput, deriveVerdict, type JudgeReport, verdictFeedback } from "../../src/workflow/verdict.ts";

const GOAL = makeGoal("done", [{ text: "a" }, { text: "b" }]);
const passed = (number: number, evidence = `x.txt: ${number}`): CheckVerdict => ({ number, state: "passed", evidence });
const failed = (number: number): CheckVerdict => ({ number, state: "failed", evidence: "x.txt is missing" });
const open = (number: number): CheckVerdict => ({ number, state: "unverifiable", evidence: "no screen" });
const hard = (number: number, ok: boolean): HardCheckResult => ({ number, ok, evidence: `$ run\nexit ${ok ? 0 : 1}` });

interface Case {
  readonly checks?: readonly CheckVerdict[];
  readonly report?: Partial<JudgeReport>;
  readonly hard?: readonly HardCheckResult[];
  readonly accepted?: readonly string[];
  readonly words?: string;
}

function derive({ checks, report = {}, hard: hardChecks = [], accepted = [], words }: Case) {
  const full = checks && { checks, reason: "as seen", ...report };
  return deriveVerdict({ goal: GOAL, report: full, words, hardChecks, accepted: new Set(accepted), defaultReason: "no conclusion" });
}

test.each<[string, Case, string, string]>([
  ["all passed with evidence", { checks: [passed(1), passed(2)] }, "achieved", "as seen"],
  ["passed on the evidence of a hard check", { checks: [passed(1, ""), passed(2)], hard: [hard(1, true)] }, "achieved", "as seen"],
  ["unverifiable, but accepted by a person", { checks: [passed(1), open(2)], accepted: ["b"] }, "achieved", "as seen"],
  ["one failed", { checks: [passed(1), failed(2)] }, "not_yet", "as seen"],
  ["one passed without evidence", { checks: [passed(1), passed(2, " \n")] }, "not_yet", "as seen"],
  ["one passed with a dash for evidence", { checks: [passed(1), passed(2, "—")] }, "not_yet", "as seen"],
  ["one passed with an invisible character for evidence", { checks: [passed(1), passed(2, "\u200b")] }, "not_yet", "as seen"],
  ["a hard check contradicts the judge", { checks: [passed(1), passed(2)], hard: [hard(1, true), hard(2, false)] }, "not_yet", "as seen"],
  [
    "a hard check contradicts an accepted item",
    { checks: [passed(1), open(2)], hard: [hard(2, false)], accepted: ["b"] },
    "not_yet",
    "as seen",
  ],
  ["a hard check does not help what the judge saw fail", { checks: [passed(1), failed(2)], hard: [hard(2, true)] }, "not_yet", "as seen"],
  ["failed beside unverifiable: not asked about yet", { checks: [failed(1), open(2)] }, "not_yet", "as seen"],
  ["some unverifiable", { checks: [passed(1), open(2)] }, "unreachable", "as seen\nb: no screen"],
  ["all unverifiable, one accepted", { checks: [open(1), open(2)], accepted: ["a"] }, "unreachable", "as seen\nb: no screen"],
  ["impossible", { checks: [failed(1), failed(2)], report: { impossible: "X is missing" } }, "unreachable", "X is missing"],
  [
    "impossible, though all passed",
    { checks: [passed(1), passed(2)], report: { impossible: "X is missing" } },
    "unreachable",
    "X is missing",
  ],
  ["an empty impossible is none", { checks: [passed(1), passed(2)], report: { impossible: " " } }, "achieved", "as seen"],
  ["a check is missing", { checks: [passed(1)] }, "", "no conclusion"],
  ["a check is missing, though the rest is impossible", { checks: [passed(1)], report: { impossible: "x" } }, "", "no conclusion"],
  ["a check is named twice, the better state first", { checks: [passed(1), passed(2), failed(2)] }, "", "no conclusion"],
  ["a check is named twice, and passed both times", { checks: [passed(1), passed(2), passed(2)] }, "", "no conclusion"],
  ["numbers that count from 0", { checks: [passed(0), passed(1)] }, "", "no conclusion"],
  ["a check that nobody asked for does not stand for one that is missing", { checks: [passed(1), passed(3)] }, "", "no conclusion"],
  ["a check that nobody asked for changes nothing", { checks: [passed(1), passed(2), failed(3)] }, "achieved", "as seen"],
  ["impossible beside unverifiable", { checks: [open(1), open(2)], report: { impossible: "no X" } }, "unreachable", "no X"],
  ["no report", {}, "", "no conclusion"],
  ["no report, though every hard check held", { hard: [hard(1, true), hard(2, true)] }, "", "no conclusion"],
  ["words: not yet", { words: "# Conclusion\nNot achieved\n# Reason\nx.txt is missing" }, "not_yet", "x.txt is missing"],
  [
    "words: not yet, though every hard check held",
    { words: "Not achieved.", hard: [hard(1, true), hard(2, true)] },
    "not_yet",
    "Not achieved.",
  ],
  ["words: unreachable", { words: "无法达成" }, "unreachable", "无法达成"],
  ["words: a conclusion without a reason", { words: "# Conclusão\nNão atingido" }, "not_yet", "no conclusion"],
  ["words: achieved, and nothing to show for it", { words: "Achieved." }, "", "no conclusion"],
  ["words: achieved, and one command of two", { words: "Achieved.", hard: [hard(1, true)] }, "", "no conclusion"],
  ["words: achieved, and a command that failed", { words: "Achieved.", hard: [hard(1, true), hard(2, false)] }, "", "no conclusion"],
  [
    "words: achieved, a person accepted what a command contradicts",
    { words: "Achieved.", hard: [hard(1, true), hard(2, false)], accepted: ["b"] },
    "",
    "no conclusion",
  ],
  ["words: achieved, and every command held", { words: "Achieved.", hard: [hard(1, true), hard(2, true)] }, "achieved", "Achieved."],
  ["words: achieved, the rest accepted by a person", { words: "1", hard: [hard(1, true)], accepted: ["b"] }, "achieved", "1"],
  ["words that say nothing, and every command held", { words: "Well.", hard: [hard(1, true), hard(2, true)] }, "", "no conclusion"],
  ["words beside a report do not count", { checks: [passed(1), failed(2)], words: "Achieved." }, "not_yet", "as seen"],
])("%s", (_what, given, state, reason) => {
  const verdict = derive(given);
  expect([verdict.state, verdict.reason]).toEqual([state, reason]);
  expect(verdict.ok).toBe(state === "achieved");
});

const said = fc.record({
  state: fc.constantFrom("passed", "failed", "unverifiable" as const),
  evidence: fc.constantFrom("", "  ", "…", "\u200b", "x.txt: 1"),
});
const item = fc.record({
  /** What the report says of it: nothing, or more than once. */
  said: fc.array(said, { maxLength: 2 }),
  hard: fc.constantFrom(undefined, true, false),
  accepted: fc.boolean(),
  /** The goal says that nobody can verify it here. */
  isMarked: fc.boolean(),
});
const scenario = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
  hasReport: fc.boolean(),
  impossible: fc.constantFrom(undefined, "", "never"),
  unknown: fc.array(fc.record({ number: fc.constantFrom(0, -1, 99, 1.5), state: fc.constantFrom("passed", "failed" as const) }), {
    maxLength: 2,
  }),
  words: fc.constantFrom("", "Achieved.", "1", "not achieved", "unreachable", "Achieved. 4 of 5."),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function toInput({ items, hasReport, impossible, unknown, words }: Scenario): DeriveInput {
  const known = items.flatMap((one, index) => one.said.map((each): CheckVerdict => ({ number: index + 1, ...each })));
  const checks = [...unknown.map((one): CheckVerdict => ({ ...one, evidence: "x" })), ...known];
  return {
    goal: makeGoal(
      "done",
      items.map(({ isMarked }, index) => ({ text: `check ${index}`, ...(isMarked ? { unverifiableReason: "no screen" } : {}) })),
    ),
    report: hasReport ? { checks, reason: "because", impossible } : undefined,
    words,
    hardChecks: items.flatMap((one, index) => (one.hard === undefined ? [] : [hard(index + 1, one.hard)])),
    accepted: new Set(items.flatMap((one, index) => (one.accepted ? [`check ${index}`] : []))),
    defaultReason: "none",
  };
}

/** What may settle one item, told apart from how the code does it. */
function isSettled({ said: all, hard: held, accepted, isMarked }: Scenario["items"][number], hasReport: boolean): boolean {
  if (held === false) return false;
  if (!hasReport) return held === true || accepted;
  const [one, again] = all;
  if (!one || again || one.state === "failed") return false;
  if (one.state === "unverifiable" || (isMarked && held === undefined)) return accepted;
  return held === true || one.evidence === "x.txt: 1";
}

test("achieved exactly when every check passed with evidence, its own or a command's, or is accepted by a person, and nothing speaks against it", () => {
  const seen = { achieved: 0, other: 0 };
  fc.assert(
    fc.property(scenario, (given) => {
      const verdict = deriveVerdict(toInput(given));
      const isHindered = given.hasReport ? given.impossible === "never" : !["Achieved.", "1"].includes(given.words);
      const expected = !isHindered && given.items.every((one) => isSettled(one, given.hasReport));
      expect(verdict.state === "achieved").toBe(expected);
      seen[expected ? "achieved" : "other"]++;
    }),
    { numRuns: 4_000 },
  );
  expect(Math.min(seen.achieved, seen.other)).toBeGreaterThan(50);
});

test("whatever is handed in, the state is one of four, ok is achieved, and a command that failed is never passed over", () => {
  fc.assert(
    fc.property(scenario, (given) => {
      const verdict = deriveVerdict(toInput(given));
      expect(["achieved", "not_yet", "unreachable", ""]).toContain(verdict.state);
      expect(verdict.ok).toBe(verdict.state === "achieved");
      if (given.items.some((one) => one.hard === false)) expect(verdict.ok).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("every check of the goal is in a verdict with a state, in order", () => {
  fc.assert(
    fc.property(scenario, (given) => {
      const input = toInput(given);
      const verdict = deriveVerdict(input);
      if (given.hasReport && verdict.state !== "")
        expect(verdict.checks.map((one) => one.check)).toEqual(input.goal.checks.map((one) => one.text));
    }),
  );
});

test("without a report the verdict shows what commands and a person settled, and the worker hears what failed", () => {
  const { checks } = derive({ words: "Achieved.", hard: [hard(1, true)], accepted: ["b"] });
  expect(checks).toEqual([
    { check: "a", state: "passed", evidence: "$ run\nexit 0" },
    { check: "b", state: "unverifiable", evidence: "accepted by a person" },
  ]);
  expect(verdictFeedback(derive({ words: "hm", hard: [hard(2, false)] }))).toBe("no conclusion\n\n- b\n  failed: $ run\n  exit 1");
});

test("the feedback names what is missing with its evidence, and nothing that passed", () => {
  const feedback = verdictFeedback(derive({ checks: [passed(1), failed(2)] }));
  expect(feedback).toBe("as seen\n\n- b\n  failed: x.txt is missing");
});
