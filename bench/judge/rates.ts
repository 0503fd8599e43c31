import { makeGoal } from "../../src/workbench/goal-document.ts";
import { deriveVerdict, type JudgeReport } from "../../src/workflow/verdict.ts";
import { isDone } from "./case.ts";
import { REPORTS, WORDS } from "./judges.ts";
import type { Judged } from "./run.ts";

/** How often something that decides was wrong. */
export interface Rate {
  readonly what: string;
  /** Decisions about work, or an item, that was not done; those that passed it. */
  readonly undone: number;
  readonly falsePasses: readonly string[];
  /** Decisions about what was done; those that sent it back. */
  readonly done: number;
  readonly falseRejects: readonly string[];
}

interface Decision {
  readonly name: string;
  readonly isDone: boolean;
  readonly passed: boolean;
}

/** Rates by what decides. In the last everything rests on the judge: it shows what the others protect from. */
export function ratesOf(judged: readonly Judged[]): readonly Rate[] {
  const guarded = judged.filter((one) => isDone(one.given) || isGuarded(one));
  const unguarded = judged.filter((one) => !isDone(one.given) && !isGuarded(one));
  return [
    rate("hard checks, item by item", judged.flatMap(hardDecisions)),
    rate(
      "whole run, honest judge",
      judged.map((one) => decision(one, one.verdict?.ok === true)),
    ),
    rate(
      "derivation, credulous judge, a command tells",
      guarded.map((one) => derived(one, { report: REPORTS.credulous(one.given) })),
    ),
    rate(
      "derivation, judge without evidence",
      judged.map((one) => derived(one, { report: REPORTS.lazy(one.given) })),
    ),
    rate(
      "derivation, judge that leaves an item out",
      judged.map((one) => derived(one, { report: REPORTS.forgetful(one.given) })),
    ),
    rate(
      "words, credulous judge",
      judged.flatMap((one) => WORDS.credulous().map((words) => derived(one, { words }))),
    ),
    rate(
      "words, judge that repeats the report",
      judged.flatMap((one) => WORDS.echoing(one.given).map((words) => derived(one, { words }))),
    ),
    rate(
      "words, honest judge",
      judged.flatMap((one) => WORDS.honest(one.given).map((words) => derived(one, { words }))),
    ),
    rate(
      "credulous judge, no command tells",
      unguarded.map((one) => derived(one, { report: REPORTS.credulous(one.given) })),
    ),
  ];
}

/** What is not done shows in an item whose command was run, or that the goal calls unverifiable. */
function isGuarded({ given, hardChecks }: Judged): boolean {
  const ran = new Set(hardChecks.map(({ number }) => number));
  return given.items.some((item, index) => item.holds !== true && (ran.has(index + 1) || item.unverifiableReason !== undefined));
}

function hardDecisions({ given, hardChecks }: Judged): readonly Decision[] {
  return hardChecks.map(({ number, ok }) => {
    const item = given.items[number - 1];
    return { name: `${given.name}: ${item?.text}`, isDone: item?.holds === true, passed: ok };
  });
}

function derived(judged: Judged, said: { readonly report?: JudgeReport; readonly words?: string }): Decision {
  const { given, hardChecks } = judged;
  const goal = makeGoal(given.name, given.items);
  const { ok } = deriveVerdict({ goal, report: said.report, words: said.words, hardChecks, accepted: new Set(), defaultReason: "none" });
  return decision(judged, ok);
}

function decision({ given }: Judged, passed: boolean): Decision {
  return { name: given.name, isDone: isDone(given), passed };
}

function rate(what: string, decisions: readonly Decision[]): Rate {
  const done = decisions.filter((one) => one.isDone);
  const undone = decisions.filter((one) => !one.isDone);
  return {
    what,
    undone: undone.length,
    falsePasses: undone.filter((one) => one.passed).map((one) => one.name),
    done: done.length,
    falseRejects: done.filter((one) => !one.passed).map((one) => one.name),
  };
}

/** The rates as a Markdown table. */
export function ratesTable(rates: readonly Rate[]): string {
  const rows = rates.map(
    ({ what, undone, falsePasses, done, falseRejects }) =>
      `| ${what} | ${share(falsePasses.length, undone)} | ${share(falseRejects.length, done)} |`,
  );
  return ["| who decides | false pass | false reject |", "|---|---:|---:|", ...rows].join("\n");
}

function share(wrong: number, of: number): string {
  return of === 0 ? "–" : `${wrong} of ${of} (${Math.round((100 * wrong) / of)} %)`;
}
