import { loadCase } from "./cases.ts";
import { participantOf } from "./participants.ts";
import { probe } from "./probe.ts";

// One participant and one case in a process of its own. Tells its parent the figures: an object, or null for "it has no such thing".
const [, , caseName = "", participantName = ""] = process.argv;
const participant = participantOf(participantName);
if (caseName === "probe") {
  await probe((await participant.load()).makeBot);
  process.send?.({});
} else {
  process.send?.((await (await loadCase(caseName)).run(participant)) ?? null);
}
process.disconnect?.();
process.exit(0);
