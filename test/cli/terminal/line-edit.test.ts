import { expect, test } from "vitest";
import { History } from "../../../src/cli/terminal/history.ts";
import { EMPTY_LINE, editLine, type Line } from "../../../src/cli/terminal/line-edit.ts";

/** `one |two`: the text with the cursor at the bar. */
function parse(text: string): Line {
  return { ...EMPTY_LINE, text: text.replace("|", ""), cursor: text.indexOf("|") };
}

function press(before: string, ...keys: readonly string[]): string {
  const line = keys.reduce((state, name) => {
    const parts = name.split("+");
    const key = { name: parts.at(-1) ?? "", ctrl: parts.includes("ctrl"), meta: parts.includes("alt") };
    return editLine(state, name.length === 1 ? name : undefined, key);
  }, parse(before));
  return `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`;
}

test.each([
  ["letters go in at the cursor", "a|c", ["b"], "ab|c"],
  ["left and right move", "ab|", ["left", "left", "right"], "a|b"],
  ["one emoji is one step", "👩‍👩‍👧|", ["left"], "|👩‍👩‍👧"],
  ["one emoji is one backspace", "a👩‍👩‍👧|", ["backspace"], "a|"],
  ["delete takes what follows", "a|界b", ["delete"], "a|b"],
  ["Ctrl+D too", "a|b", ["ctrl+d"], "a|"],
  ["home and end go to the ends of the line", "a\nbc|d\ne", ["home"], "a\n|bcd\ne"],
  ["end", "a\nb|cd\ne", ["end"], "a\nbcd|\ne"],
  ["home before a newline stays", "|\na", ["home"], "|\na"],
  ["Ctrl+A and Ctrl+E too", "a|b", ["ctrl+a", "ctrl+e"], "ab|"],
  ["Ctrl+K cuts to the end, Ctrl+Y puts it back", "one |two", ["ctrl+k", "home", "ctrl+y"], "two|one "],
  ["Ctrl+U cuts to the start", "one |two", ["ctrl+u"], "|two"],
  ["Ctrl+W cuts a word by spaces", "cat a/b.md |x", ["ctrl+w"], "cat |x"],
  ["Alt+Backspace cuts a word by letters", "cat a/b.md|", ["alt+backspace"], "cat a/b.|"],
  ["words are moved over", "uma ação|", ["ctrl+left"], "uma |ação"],
  ["forwards too", "|uma ação", ["alt+f", "alt+f"], "uma ação|"],
  ["Alt+Enter is a newline", "a|", ["alt+return", "b"], "a\nb|"],
  ["keys without a meaning do nothing", "a|", ["ctrl+t", "f5", "alt+x", "left", "left", "left"], "|a"],
])("%s", (_title, before, keys, after) => {
  expect(press(before, ...keys)).toBe(after);
});

test("history walks back to the oldest and forth to the draft", () => {
  const history = new History();
  for (const line of ["one", "two", "two", " "]) history.add(line);
  expect([history.older("dra"), history.older("x"), history.older("x")]).toEqual(["two", "one", undefined]);
  expect([history.newer(), history.newer(), history.newer()]).toEqual(["two", "dra", undefined]);
});
