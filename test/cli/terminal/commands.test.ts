import { expect, test } from "vitest";
import { interpretLine } from "../../../src/cli/terminal/commands.ts";

const question = { id: "q1", options: ["red", "blue"] };
const free = { id: "q1", options: [] };

test.each([
  ["a number picks an option", "2", question, { kind: "answer", questionId: "q1", text: "blue" }],
  ["a full-width number too", "２", question, { kind: "answer", questionId: "q1", text: "blue" }],
  ["a number with a dot too", "1.", question, { kind: "answer", questionId: "q1", text: "red" }],
  ["a number that names no option is words", "3", question, { kind: "answer", questionId: "q1", text: "3" }],
  ["without options a number is words", "1", free, { kind: "answer", questionId: "q1", text: "1" }],
  ["other words are a free answer", " green ", question, { kind: "answer", questionId: "q1", text: "green" }],
  ["Enter alone skips", "", question, { kind: "skip", questionId: "q1" }],
  ["Enter alone without a question is nothing", "  ", undefined, { kind: "nothing" }],
  ["words without a question are mail", "also do X\nand Y", undefined, { kind: "mail", text: "also do X\nand Y" }],
  ["? asks the oracle, even while a question waits", "? where are we", question, { kind: "oracle", question: "where are we" }],
  ["？ too", "？到哪了", undefined, { kind: "oracle", question: "到哪了" }],
  ["? alone helps", "?", undefined, { kind: "command", name: "help" }],
  ["a command", "/Status ", question, { kind: "command", name: "status" }],
  ["an interrupt with words", "/interrupt not the\nMakefile", undefined, { kind: "interrupt", text: "not the\nMakefile" }],
  ["an interrupt without", "/interrupt", undefined, { kind: "interrupt", text: "" }],
  ["an unknown command is not sent", "/stauts", question, { kind: "unknown-command", name: "stauts" }],
  ["words behind a command are not dropped", "/goal is wrong", undefined, { kind: "unknown-command", name: "goal is wrong" }],
  ["a path is no command", "/etc/hosts is wrong", undefined, { kind: "mail", text: "/etc/hosts is wrong" }],
  ["a space before a slash sends it", " /quit", undefined, { kind: "mail", text: "/quit" }],
  ["a space before ? sends it", " ?", question, { kind: "answer", questionId: "q1", text: "?" }],
])("%s", (_title, line, asked, meaning) => {
  expect(interpretLine(line, { question: asked })).toEqual(meaning);
});
