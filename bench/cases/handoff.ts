import type { Case } from "../case.ts";
import { type Reply, Script } from "../script.ts";
import { timeTurns } from "./turns.ts";

/** There and back: every turn hands over once, to the other agent. */
const REPLIES: readonly Reply[] = [
  { call: "transfer_to_second", args: {} },
  { text: "The second agent answers." },
  { call: "transfer_to_first", args: {} },
  { text: "The first agent answers." },
];

export const measured: Case = {
  metrics: [{ key: "us", title: "turn with one agent handoff", unit: "µs", goal: "fastest" }],
  async run(participant) {
    const us = await timeTurns(participant, () => ({ script: new Script(REPLIES), handoff: true, length: 20, modelCallsPerTurn: 2 }));
    return us === undefined ? undefined : { us };
  },
};
