import { expect, test } from "vitest";
import { interruptPrompt, promptWithWords, Words } from "../../src/runtime/words.ts";

test("words are given once, in order, and with them the stop is served", () => {
  const words = new Words();
  expect(words.interrupted).toBe(false);
  words.interrupt("first");
  words.interrupt("  ");
  words.interrupt("second");
  expect(words.interrupted).toBe(true);
  expect(words.take()).toEqual(["first", "second"]);
  expect(words.interrupted).toBe(false);
  expect(words.take()).toEqual([]);
});

test("words are kept for another process until a session holds them, those said meanwhile too", async () => {
  const words = new Words();
  await words.interrupt("first");
  const kept: (readonly string[])[] = [];
  await words.keepWith((unheard) => void kept.push(unheard));
  await words.interrupt("second");
  words.take();
  await words.interrupt("third");
  await words.heard();
  words.take();
  await words.heard();
  await words.heard();
  expect(kept).toEqual([["first"], ["first", "second"], ["first", "second", "third"], ["third"], []]);
});

test("a stop without words is a stop", () => {
  const words = new Words();
  words.interrupt("");
  expect(words.interrupted).toBe(true);
  expect(words.take()).toEqual([]);
});

test("the model is told that calls which came back interrupted are no fault, and hears the words as they were said", () => {
  const prompt = interruptPrompt(["别改 Makefile,那两行直接改"]);
  expect(prompt).toContain("\n别改 Makefile,那两行直接改\n");
  expect(prompt).toMatch(/interrupted is a side effect of this stop, not a fault/);
  expect(interruptPrompt([])).toMatch(/said nothing. Go on/);
});

test("words before the first prompt stand at its end; without any the prompt is as given", () => {
  expect(promptWithWords("do it", [])).toBe("do it");
  expect(promptWithWords("do it", ["but softly"])).toMatch(/^do it\n\n.*the person said:\n\nbut softly$/);
});
