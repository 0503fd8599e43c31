import fc from "fast-check";
import stringWidth from "string-width";
import stripAnsi from "strip-ansi";
import { expect, test } from "vitest";
import { Render } from "../../../src/cli/terminal/render.ts";
import { StatusLine } from "../../../src/cli/terminal/status.ts";
import { EVENT_KINDS, type Event, type LoggedEvent } from "../../../src/messages/event.ts";
import { EMPTY_STORY, reduceStory, toRunState } from "../../../src/server/run-story.ts";
import { runs } from "../../random-runs.ts";
import { everyKind, say, step } from "./events.ts";
import { hostileText } from "./hostile.ts";

const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), hostileText, fc.double(), fc.constantFrom("asked", "verdict", "run-end", "near"));

/** An event as a log from elsewhere may hold it: kinds that nobody knows, facts that are missing or of another type. */
const strange = fc
  .record({
    event: hostileText.chain((text) => fc.constantFrom(...everyKind(text))),
    kind: fc.option(fc.constantFrom("hologram", "__proto__", ...EVENT_KINDS), { freq: 3 }),
    changes: fc.array(fc.record({ at: fc.nat(), value: fc.oneof(anything, fc.constant(undefined)) }), { maxLength: 3 }),
    whole: fc.option(fc.record({ at: fc.constantFrom("text", "tool", "payload"), value: anything }), { freq: 3 }),
  })
  .map(({ event, kind, changes, whole }) => {
    const names = Object.keys(event.payload);
    const changed = Object.fromEntries(changes.map(({ at, value }) => [names[at % names.length] ?? "step", value]));
    const payload = { ...event.payload, ...changed };
    return { ...event, kind: kind ?? event.kind, payload, ...(whole ? { [whole.at]: whole.value } : {}) } as unknown as Event;
  });

const SGR = /\x1b\[\d+(?:;\d+)*m/g;
const CONTROLS = /[\x00-\x09\x0B-\x1F\x7F-\x9F]/;

test("whatever a log holds, the terminal shows it without harm, or not at all, and shows what comes after it", () => {
  fc.assert(
    fc.property(fc.array(strange, { maxLength: 8 }), (events) => {
      let out = "";
      const render = new Render({ write: (text) => (out += text), language: "en", color: true, width: () => 60, verbose: true });
      for (const event of [step("work", 1, 1), ...events, say("still here")]) render.event(event);
      expect(out).toContain("still here");
      expect(out.replace(SGR, "")).not.toMatch(CONTROLS);
      for (const line of stripAnsi(out).split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    }),
    runs(200),
  );
});

test("whatever a log holds, the status line stays one line that can be drawn", () => {
  fc.assert(
    fc.property(fc.array(strange, { maxLength: 8 }), fc.integer({ min: 1, max: 120 }), (events, width) => {
      const status = new StatusLine({ language: "en", color: false });
      for (const event of events) {
        status.event(event);
        const line = status.render(width);
        expect(line).not.toMatch(/[\x00-\x1F\x7F-\x9F]/);
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }
    }),
    runs(200),
  );
});

test("whatever a log holds, the state of its run can be told", () => {
  fc.assert(
    fc.property(fc.array(strange, { maxLength: 8 }), (events) => {
      const logged = events.map((event, index) => ({ ...event, run: "r", seq: index + 1, at: "x" }) as unknown as LoggedEvent);
      const state = toRunState(logged.reduce(reduceStory, EMPTY_STORY), { run: "r", chain: ["r"], isAlive: true, asks: [] });
      expect(state.lastSeq).toBe(events.length);
      JSON.stringify(state);
    }),
    runs(200),
  );
});
