import { expect, test } from "vitest";
import { interpretLine } from "../../../src/cli/terminal/commands.ts";

const question = { id: "q1" };

test.each([
  ["a number is an answer like other words", " 2", question, { kind: "answer", questionId: "q1", text: "2" }],
  ["words are the answer to the question", " green ", question, { kind: "answer", questionId: "q1", text: "green" }],
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
