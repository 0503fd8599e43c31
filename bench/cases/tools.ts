import { Arithmetic } from "../arithmetic.ts";
import type { Case } from "../case.ts";
import { type Reply, Script } from "../script.ts";
import { timeTurns } from "./turns.ts";

const CALLS = 10;
const REPLIES: readonly Reply[] = [
  ...Array.from({ length: CALLS }, (_, n) => ({ call: "add", args: { a: n, b: 1, unit: "km" } })),
  { text: "That makes 11 km." },
];

export const measured: Case = {
  metrics: [{ key: "us", title: "turn with 10 tool iterations", unit: "µs", goal: "fastest" }],
  async run(participant) {
    const us = await timeTurns(participant, () => ({
      script: new Script(REPLIES),
      tool: new Arithmetic(),
      length: 5,
      modelCallsPerTurn: CALLS + 1,
      toolRunsPerTurn: CALLS,
    }));
    return us === undefined ? undefined : { us };
  },
};
