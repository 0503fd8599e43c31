import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Case } from "../case.ts";
import { EventLog, readEvents, someEvent } from "../internals.ts";
import { repeat, time } from "../measure.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";

const EVENTS = 1_000;

export const measured: Case = {
  only: ["flower"],
  metrics: [
    { key: "append", title: "event append to the durable log, writing to disk included", unit: "µs", goal: 20 },
    { key: "replay", title: "replay of 1,000 events", unit: "ms", goal: 5 },
  ],
  run: () =>
    inTemporaryFolder(async (folder) => {
      let n = 0;
      const append = await repeat(() => timeAppend(join(folder, `${n++}.jsonl`)));
      const replay = await repeat(() => timeReplay(join(folder, "0.jsonl")));
      return { append, replay };
    }),
};

/** Microseconds an event. */
async function timeAppend(path: string): Promise<number> {
  const log = EventLog.open(path, { run: "run" });
  const ms = await time(async () => {
    for (let n = 1; n <= EVENTS; n++) log.append(someEvent(n));
    await log.close();
  });
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  assert.equal(lines.length, EVENTS, "every event is on disk");
  return (ms / EVENTS) * 1_000;
}

async function timeReplay(path: string): Promise<number> {
  let seq = 0;
  const ms = await time(async () => {
    for await (const event of readEvents(path)) seq = event.seq;
  });
  assert.equal(seq, EVENTS, "every event is read");
  return ms;
}
