import fc from "fast-check";
import stringWidth from "string-width";
import stripAnsi from "strip-ansi";
import { describe, expect, test } from "vitest";
import { Render, type RenderOptions } from "../../../src/cli/terminal/render.ts";
import type { Language } from "../../../src/i18n/catalogue.ts";
import { type Event, makeEvent } from "../../../src/messages/event.ts";
import { runs } from "../../random-runs.ts";
import { call, everyKind, question, result, say, speech, step } from "./events.ts";
import { hostileText } from "./hostile.ts";

function rendered(events: readonly Event[], options: Partial<RenderOptions> = {}): string {
  let out = "";
  const render = new Render({ write: (text) => (out += text), language: "en", color: false, width: () => 60, ...options });
  for (const event of events) render.event(event);
  return out;
}

const options = ["HTML", "XHTML"];
const aRun: readonly Event[] = [
  step("work", 3, 3),
  question("Which format?", { options, remaining: 2 }),
  question("Which format?", { options, state: "answered", answer: "HTML" }),
  makeEvent("ask", "bytes too, please", { kind: "mail", id: "m1", state: "queued", amended: "notes/brief.md" }),
  makeEvent("task", "", {
    type: "verdict",
    step: "work",
    round: 1,
    state: "not_yet",
    reason: "",
    checks: [{ check: "a.html exists", state: "failed", evidence: "no such file" }],
  }),
  makeEvent("task", "", { type: "run-end", outcome: "failed", exitCode: 1, failedAt: "work", reason: "three rounds" }),
];

describe("a small run reads well", () => {
  test.each<Language>(["en", "zh", "pt"])("in %s", (language) => {
    expect(rendered(aRun, { language, clock: { now: () => 0, after: () => () => {} } })).toMatchSnapshot();
  });
});

test("tool calls are one line each, and only errors of tools are shown", () => {
  const events = [call("1", "Bash", "make\nmake test"), result("1", "fine"), call("2", "Read", "x"), result("2", "ENOENT: x", true)];
  expect(rendered(events)).toBe("⏺ Bash  make ⏎ make test\n⏺ Read  x\n  ✗ Read: ENOENT: x\n");
});

test("verbose also shows results and thinking", () => {
  const out = rendered([makeEvent("thinking", "hm", speech()), call("1", "Bash", "ls"), result("1", "a\nb")], { verbose: true });
  expect(out).toBe("∴ hm\n\n⏺ Bash  ls\n  ⎿ a\n    b\n");
});

test("a subagent's speech is set off and named", () => {
  expect(rendered([say("hello", { subagent: "hand" })])).toBe("  │ ● hand: hello\n");
});

test("another round and the judge get their mark once", () => {
  const out = rendered([step("work", 1, 1), say("a"), say("b", { step: "work#round2" }), say("c", { step: "work#round2" })]);
  expect(out.match(/╌╌ work#round2 ╌/g)).toHaveLength(1);
  expect(out).not.toContain("╌╌ work ╌");
});

test("a mail receipt says when nothing was saved, and why", () => {
  const mail = { kind: "mail", id: "m1", state: "queued", amended: "", notSaved: "ENOSPC: no space left" } as const;
  expect(rendered([makeEvent("ask", "hi", mail)])).toMatch(/saved to no file[\s\S]*Not saved: ENOSPC: no space left/);
  expect(rendered([makeEvent("ask", "hi", { kind: "mail", id: "m1", state: "queued", amended: "" })])).toContain("saved to no file");
});

test("a question that never waited is told with its outcome", () => {
  expect(rendered([question("Which colour?", { state: "over_budget" })])).toContain("Which colour?");
});

test("checks show their evidence, and what cannot be verified is warned about at freezing", () => {
  const check = { type: "check", step: "work", index: 1, total: 2, check: "it builds" } as const;
  const out = rendered([
    makeEvent("task", "", { type: "goal", path: "goal.md", total: 2, unverifiable: ["runs on macOS"] }),
    makeEvent("task", "", { ...check, ok: false, evidence: "exit 2\nno rule" }),
  ]);
  expect(out).toContain("⚠ 1 of 2 cannot be verified here:\n  · runs on macOS\n");
  expect(out).toContain("✗ 1/2 it builds\n      exit 2\n      no rule\n");
});

test("an unknown kind is silent, or named when verbose", () => {
  const strange = { kind: "hologram", text: "", tool: "", payload: {} } as unknown as Event;
  expect(rendered([strange])).toBe("");
  expect(rendered([strange], { verbose: true })).toBe("· <hologram>\n");
});

test("an aside is framed", () => {
  const lines: string[] = [];
  new Render({ write: (text) => lines.push(text), language: "en", color: false, width: () => 30 }).aside("Goal", "one\ntwo");
  expect(lines.join("")).toBe("╭─ Goal ──────────────────────\n│ one\n│ two\n╰─\n");
});

const SGR = /\x1b\[\d+(?:;\d+)*m/g;

test("hostile text emits no escape that is not ours, and no line is too wide", () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 24, max: 200 }), (text, width) => {
      const out = rendered(everyKind(text), { color: true, verbose: true, width: () => width });
      expect(out.replace(SGR, "")).not.toMatch(/[\x00-\x09\x0B-\x1F\x7F-\x9F]/);
      for (const line of stripAnsi(out).split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(Math.min(110, width));
    }),
    runs(50),
  );
});

test("without colour there is no escape at all", () => {
  expect(rendered(everyKind("\x1b[31mx"), { verbose: true })).not.toContain("\x1b");
});
