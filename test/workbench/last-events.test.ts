import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoggedEvent } from "../../src/messages/event.ts";
import { readEvents } from "../../src/workbench/event-reader.ts";
import { lastEvents } from "../../src/workbench/last-events.ts";
import { newFolder } from "../folder.ts";
import { runs } from "../random-runs.ts";

test("they are the last of those that a reader from the start gets, however long lines and log are", async () => {
  const path = join(newFolder(), "events.jsonl");
  const lines = fc.array(fc.record({ kind: fc.constantFrom("text", "thinking"), size: fc.constantFrom(0, 10, 3_000, 70_000) }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(lines, fc.nat(40), fc.boolean(), async (script, count, cut) => {
      const events = script.map(({ kind, size }, index) => ({
        run: "r",
        seq: index + 1,
        at: "",
        kind,
        text: "é".repeat(size),
        tool: "",
        payload: {},
      }));
      await writeFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      if (cut) await appendFile(path, '{"run":"r","seq":99,"kind":"te');
      const wanted = (event: LoggedEvent) => event.kind !== "thinking";
      const all: LoggedEvent[] = [];
      for await (const event of readEvents(path)) if (wanted(event)) all.push(event);
      const last = count === 0 ? [] : all.slice(-count);
      expect((await lastEvents(path, { count, wanted })).map((event) => event.seq)).toEqual(last.map((event) => event.seq));
    }),
    runs(40),
  );
});

test("a log that is not there has none", async () => {
  expect(await lastEvents(join(newFolder(), "none.jsonl"), { count: 5, wanted: () => true })).toEqual([]);
});
