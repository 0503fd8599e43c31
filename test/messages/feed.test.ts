import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rewriteFeed } from "../../src/messages/feed.ts";
import { checkHistory } from "../../src/messages/history.ts";
import { callsOf, type Message, type ResultPart, resultText } from "../../src/messages/message.ts";
import { runs } from "../random-runs.ts";
import { call, model, result, text, tool, user } from "./conversation.ts";

const NONE: ReadonlySet<string> = new Set();

function says(callId: string, words: string, extra: Partial<ResultPart> = {}): ResultPart {
  return { ...result(callId), content: [{ type: "text", text: words }], ...extra };
}

/** A conversation of iterations with one call each, whose results say what is given. */
function conversation(...results: readonly ResultPart[]): readonly Message[] {
  return [user("go"), ...results.flatMap((one) => [model(call(one.callId)), tool(one)])];
}

function shown(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => message.parts.flatMap((part) => (part.type === "result" ? [resultText(part.content)] : [])));
}

describe("what is fed to a model again", () => {
  it("holds the results of the newest looks around; older ones have expired", () => {
    const ids = ["a", "b", "c", "d"];
    const fed = rewriteFeed(conversation(...ids.map((id) => says(id, `saw ${id}`))), { glances: new Set(ids), keepGlances: 2 });
    expect(shown(fed)).toEqual([expect.stringContaining("expired"), expect.stringContaining("expired"), "saw c", "saw d"]);
  });

  it("keeps what is no look around, however old", () => {
    const messages = conversation(...Array.from({ length: 30 }, (_, i) => says(`c${i}`, "short")));
    expect(rewriteFeed(messages, { glances: NONE })).toEqual(messages);
  });

  it("holds long results as they are while they are new, and their beginning later", () => {
    const long = "x".repeat(5_000);
    const fed = rewriteFeed(conversation(says("a", long), says("b", long), says("c", "short")), { glances: NONE, keepResults: 2 });
    expect(shown(fed)).toEqual([expect.stringMatching(/^x{200}\n\[… the rest of 5000 characters/), long, "short"]);
  });

  it("holds of denied calls only the newest, and no reply that is left empty", () => {
    const denied = { denied: true, isError: true } as const;
    const messages = [
      user("go"),
      model("I try", call("a")),
      tool(says("a", "no", denied)),
      model(call("b"), call("c")),
      tool(says("b", "no", denied), says("c", "yes")),
      model(call("d")),
      tool(says("d", "no", denied)),
    ];
    const fed = rewriteFeed(messages, { glances: NONE });
    expect(fed.flatMap(callsOf).map(({ callId }) => callId)).toEqual(["c", "d"]);
    expect(checkHistory(fed)).toEqual([]);
  });

  it("is the very same message where nothing changes, so that nothing is copied", () => {
    const messages = conversation(says("a", "short"));
    expect(rewriteFeed(messages, { glances: NONE }).every((message, i) => message === messages[i])).toBe(true);
  });

  it("leaves the stored history alone", () => {
    const messages = conversation(says("a", "x".repeat(5_000)), says("b", "y"));
    const before = structuredClone(messages);
    rewriteFeed(messages, { glances: new Set(["a"]), keepGlances: 0, keepResults: 0 });
    expect(messages).toEqual(before);
  });

  it("is valid whatever is taken out, and feeding it again changes nothing", () => {
    const step = fc.record({
      calls: fc.array(fc.record({ length: fc.constantFrom(1, 600, 5_000), denied: fc.boolean(), glance: fc.boolean() }), { maxLength: 3 }),
      words: fc.boolean(),
      notice: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat(3), fc.nat(3), (steps, keepGlances, keepResults) => {
        const glances = new Set<string>();
        let ids = 0;
        const messages = steps.flatMap(({ calls, words, notice }) => {
          const made = calls.map(({ length, denied, glance }) => {
            const callId = `c${++ids}`;
            if (glance) glances.add(callId);
            return says(callId, "z".repeat(length), denied ? { denied: true, isError: true } : {});
          });
          const reply = model(...(words || made.length === 0 ? [text("words")] : []), ...made.map(({ callId }) => call(callId)));
          return [...(notice ? [user("news")] : []), reply, ...(made.length > 0 ? [tool(...made)] : [user("next")])];
        });
        const rules = { glances, keepGlances, keepResults, trimOver: 500 };
        const fed = rewriteFeed([user("go"), ...messages], rules);
        expect(checkHistory(fed)).toEqual([]);
        expect(rewriteFeed(fed, rules)).toEqual(fed);
      }),
      runs(500),
    );
  });
});
