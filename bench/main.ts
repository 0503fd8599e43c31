import { availableParallelism } from "node:os";
import { benchJudge } from "./judge.ts";
import { readOptions } from "./options.ts";
import type { Participant } from "./participants.ts";
import { installPeers, linkFlower, missing, versionOf } from "./peers.ts";
import { type CaseResult, inChild, measureCase } from "./rounds.ts";
import { toTable } from "./table.ts";

const options = readOptions(process.argv.slice(2));
if (options.judge) benchJudge();
if (options.cases.length === 0) process.exit();
if (options.install) installPeers();
linkFlower();
const absent = missing(options.participants);
const participants = await probed(options.participants.filter((participant) => !absent.includes(participant)));

const results: CaseResult[] = [];
for (const name of options.cases) {
  console.error(`${name} …`);
  results.push(await measureCase(name, participants, options.rounds));
}

console.log(
  `\nNode ${process.version}, ${availableParallelism()} cores, median of ${options.rounds} round(s). ${versions(participants)}\n`,
);
console.log(toTable(results, participants));
for (const { name } of absent) console.log(`\nNot installed: ${name}.`);
for (const { name: caseName, failures } of results) {
  for (const [name, failure] of failures) console.log(`\n${caseName}, ${name} failed:\n${failure}`);
}

/** Those that do all of the work. Whoever leaves something out is named, and not measured. */
async function probed(candidates: readonly Participant[]): Promise<readonly Participant[]> {
  const passed: Participant[] = [];
  for (const participant of candidates) {
    const outcome = await inChild("probe", participant.name);
    if ("failure" in outcome) console.log(`${participant.name} does not do the same work and is left out:\n${outcome.failure}\n`);
    else passed.push(participant);
  }
  return passed;
}

function versions(measured: readonly Participant[]): string {
  const named = measured.flatMap((participant) => (participant.package ? [`${participant.package} ${versionOf(participant)}`] : []));
  return `${named.join(", ")}.`;
}
