import assert from "node:assert/strict";
import { Arithmetic } from "./arithmetic.ts";
import type { MakeBot } from "./bot.ts";
import { type Reply, Script } from "./script.ts";

const GOOD = { a: 2, b: 3, unit: "km" };
const WRONG = { a: "two", b: 3, unit: "miles" };
const TURNS: readonly (readonly Reply[])[] = [
  [{ text: "One." }],
  [{ call: "add", args: WRONG }, { text: "Two." }],
  [{ call: "add", args: GOOD }, { text: "Three." }],
];

/**
 * Whether a bot does the work: it answers, runs a tool on good arguments and never on wrong ones, sends the model the whole
 * conversation, keeps it, and keeps conversations apart. Throws, saying what it leaves out.
 */
export async function probe(makeBot: MakeBot): Promise<void> {
  const script = new Script(TURNS.flat());
  const tool = new Arithmetic();
  const bot = await makeBot({ script, tool });
  assert(bot, "no bot");
  let sent = 0;
  for (const replies of TURNS) {
    const text = await bot.say("probe", "Go on.");
    assert.equal(text, (replies.at(-1) as { text: string }).text, "the answer is the model's");
    assert(script.sent > sent, `the model is sent the whole conversation: ${script.sent} messages after ${sent}`);
    ({ sent } = script);
  }
  assert.equal(script.calls, TURNS.flat().length, "one model call for each reply");
  assert.equal(tool.runs, 1, "the tool runs on good arguments, and only on them");
  assert((await bot.count("probe")) >= 2 * TURNS.length, "the conversation is kept");
  assert.equal(await bot.say("other", "Hello."), "One.");
  assert(script.sent <= 2, `a new conversation begins empty, but ${script.sent} messages were sent`);
  await bot.close?.();
}
