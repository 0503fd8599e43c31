import { expect, test } from "vitest";
import { SideQuestions } from "../../src/cli/side-questions.ts";
import { translator } from "../../src/i18n/catalogue.ts";
import type { OracleAnswer, OracleOptions } from "../../src/runtime/aside.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

const GOOD: OracleAnswer = { ok: true, text: "Halfway.", costUsd: 0.0123, error: "", errorKind: undefined };

/** A terminal that notes what it shows, over an oracle that answers as it is told. */
function openDesk(oracle: (question: string, options: OracleOptions) => Promise<OracleAnswer>) {
  const shown: string[] = [];
  const clock = new FakeClock();
  const screen = {
    t: translator("en"),
    say: (text: string) => void shown.push(text),
    aside: (title: string, body: string) => void shown.push(`${title} | ${body}`),
  };
  const questions = new SideQuestions({ runtime: { oracle: (question, options = {}) => oracle(question, options) }, screen, clock });
  return { shown, clock, questions };
}

/** Answers only that it was taken back. */
function never(_question: string, { signal }: OracleOptions): Promise<OracleAnswer> {
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => resolve({ ...GOOD, ok: false, text: "", error: "aborted", errorKind: "aborted" }));
  });
}

test("an answer is shown under its question, with what it cost apart", async () => {
  const { shown, questions } = openDesk(async () => GOOD);
  questions.ask("how far?");
  await questions.finish();
  expect(shown.at(-1)).toBe("? how far? | Halfway.\n\n($0.01 on the side, no part of the run's cost)");
});

test("a failure is shown as one, and an unknown price as unknown", async () => {
  const { shown, questions } = openDesk(async () => ({
    ok: false,
    text: "",
    costUsd: undefined,
    error: "The key is wrong.",
    errorKind: "auth",
  }));
  questions.ask("how far?");
  await questions.finish();
  expect(shown.at(-1)).toMatch(/\| There is no answer: The key is wrong\.\n\n\(\? on the side/);
});

test("nothing is waited for when nothing is open", async () => {
  const { shown, questions } = openDesk(never);
  await questions.finish();
  expect(shown).toEqual([]);
});

test("open answers are waited for two minutes and no longer, and that is said", async () => {
  const { shown, clock, questions } = openDesk(never);
  questions.ask("one?");
  questions.ask("two?");
  let finished = false;
  const finishing = questions.finish().then(() => {
    finished = true;
  });
  expect(shown.at(-1)).toMatch(/^Side questions still open: 2\. .* at most 120 s/);
  await clock.advance(119_999);
  expect(finished).toBe(false);
  await clock.advance(1);
  await finishing;
  expect(shown.filter((line) => line.includes("it was not waited for any longer"))).toHaveLength(2);
  expect(clock.timers).toBe(0);
});

test("after giving up nothing is waited for", async () => {
  const { questions } = openDesk(never);
  questions.ask("how far?");
  questions.giveUp();
  await questions.finish();
});
