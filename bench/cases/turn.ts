import type { Case } from "../case.ts";
import { Script } from "../script.ts";
import { timeTurns } from "./turns.ts";

export const measured: Case = {
  metrics: [{ key: "us", title: "one turn", unit: "µs", goal: "fastest" }],
  async run(participant) {
    const us = await timeTurns(participant, () => ({ script: new Script([{ text: "It is fine." }]), length: 20, modelCallsPerTurn: 1 }));
    return us === undefined ? undefined : { us };
  },
};
