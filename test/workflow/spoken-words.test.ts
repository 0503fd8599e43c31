import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/messages/event.ts";
import { textOf } from "../../src/messages/message.ts";
import { starterFlow } from "../../src/workflow/starter.ts";
import { newFolder } from "../folder.ts";
import { openStage, roleOf } from "./stage.ts";
import { shown, talkative } from "./talkative.ts";

const WORDS = "in French, please";

interface Moment {
  readonly name: string;
  /** True at the event at which the person speaks. Undefined: before the start, or after the last step. */
  readonly at?: (event: Event) => boolean;
  readonly when?: "before" | "after";
}

const call = (name: string) => (event: Event) => event.kind === "tool_call" && event.tool === name;

const moments: readonly Moment[] = [
  { name: "before a session exists", when: "before" },
  { name: "while the brief is being written", at: call("brief") },
  { name: "while the goal is being set", at: call("goal") },
  { name: "between steps", at: (event) => event.kind === "step" && event.text === "work" },
  { name: "in the middle of a text", at: (event) => event.kind === "text" && event.text === "I write." },
  { name: "in a tool", at: call("Bash") },
  { name: "while waiting for the network", at: (event) => event.kind === "retry" },
  { name: "while a question waits", at: (event) => event.kind === "ask" && event.payload.state === "asked" },
  { name: "with the last words", at: (event) => event.kind === "text" && event.text === "It is done." },
  { name: "while judging", at: call("verdict") },
  { name: "after the last step", when: "after" },
];

/** A whole run during which the person speaks once, by mail or at an interrupt. */
async function runWith(way: "interrupt" | "mail", moment: Moment) {
  const folder = newFolder();
  const flow = starterFlow("make a greeting", { workspace: folder, timeoutMs: null });
  const { channel } = flow;
  const stage = openStage(talkative(), { workbench: flow.workbench, resilience: { delayMs: 1 } }, folder);
  const receipts: Promise<{ readonly amended: string }>[] = [];
  let spokenAt = 0;
  const speak = () => {
    if (receipts.length > 0) return;
    spokenAt = stage.engine.requests.length;
    receipts.push(way === "mail" ? channel.send(WORDS) : stage.runtime.interrupt(WORDS));
  };
  if (moment.when === "before") speak();
  await stage.run(flow, {
    onEvent(event) {
      stage.note(event);
      if (moment.at?.(event)) speak();
      if (event.kind === "ask" && event.payload.kind === "question") channel.answer(event.payload.id, "yes");
    },
    onStep: (step) => void (moment.when === "after" && step.name === "work" && speak()),
  });
  const [receipt] = await Promise.all(receipts);
  await channel.flush();
  const note = (name: string) => readFile(join(folder, ".flower/notes", name), "utf8");
  return { folder, stage, channel, receipt, note, later: stage.engine.requests.slice(spokenAt) };
}

describe.each(moments)("$name", (moment) => {
  test.each(["interrupt", "mail"] as const)("words by %s are saved, logged, and read by a model", async (way) => {
    const { stage, channel, receipt, note, later } = await runWith(way, moment);
    expect(stage.tasks("run-end")[0]?.payload.outcome).toBe("achieved");
    expect((await note("brief.md")).split(`> ${WORDS}`)).toHaveLength(2); // once
    expect((await note("questions.md")).split(`> ${WORDS}`)).toHaveLength(2);
    if (moment.when !== "before") expect(receipt?.amended).toBe(channel.amendPath);
    expect(later.some((request) => shown(request).includes(WORDS))).toBe(true);
    expect(channel.pendingMail).toEqual([]);
    expect(channel.uiErrors).toEqual([]);
  });

  test("an interrupt reaches the step that takes words with its next prompt; nothing finished is lost and no attempt is used", async () => {
    const { folder, stage, later } = await runWith("interrupt", moment);
    const prompts = later.map((request) => ({ role: roleOf(request), text: textOf(request.messages.findLast(isUser)!) }));
    const told = prompts.filter(({ role, text }) => role !== "judge" && text.includes(WORDS) && !text.includes("Since the goal was set"));
    expect(told.length).toBeGreaterThan(0);
    expect(prompts.filter(({ role, text }) => role === "judge" && text.includes(WORDS))).toEqual([]);
    expect(await readFile(join(folder, "greeting.txt"), "utf8")).toBe("hello\n"); // the command ran once
    const rows = await stage.manifest();
    const failures = stage.of("retry").length;
    expect(rows.map((row) => row.attempts).reduce((sum, attempts) => sum + attempts - 1, 0)).toBe(failures);
    expect(stage.runtime.totalCost()).toBeCloseTo((stage.engine.requests.length - failures) * 0.01); // every reply was paid for
  });
});

const isUser = ({ role }: { readonly role: string }) => role === "user";
