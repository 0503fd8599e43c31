import { parseArgs } from "node:util";
import { CASE_NAMES } from "./cases.ts";
import { PARTICIPANTS, type Participant, participantOf } from "./participants.ts";

export interface BenchOptions {
  /** Names of cases. */
  readonly cases: readonly string[];
  /** Also how often verdicts are wrong: flower only, and no matter of time. */
  readonly judge: boolean;
  readonly participants: readonly Participant[];
  readonly rounds: number;
  readonly install: boolean;
}

const JUDGE = "judge";

/** `--case turn,tools --only flower,floor --rounds 1 --no-install`; without them everything, in 3 rounds. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      case: { type: "string" },
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
      install: { type: "boolean", default: true },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: give a number from 1.`);
  const cases = values.case?.split(",") ?? [...CASE_NAMES, JUDGE];
  return {
    cases: cases.filter((name) => name !== JUDGE),
    judge: cases.includes(JUDGE),
    participants: values.only?.split(",").map(participantOf) ?? PARTICIPANTS,
    rounds,
    install: values.install,
  };
}
