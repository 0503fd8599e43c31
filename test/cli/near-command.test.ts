import { expect, test } from "vitest";
import { nearCommand } from "../../src/cli/near-command.ts";
import { editDistance } from "../../src/core/edit-distance.ts";

const NAMES = ["abort", "answer", "brief", "chat", "go", "goal", "interrupt", "log", "oracle", "run", "say", "status"];

test.each([
  ["abrot", "abort"],
  ["statsu", "status"],
  ["Status ", "status"],
  ["stat", "status"],
  ["gaol", "goal"],
  ["logs", "log"],
  ["interupt", "interrupt"],
  ["anwser q1 2", "answer"],
])("%j was meant to be %s", (words, name) => expect(nearCommand(words.split(" "), NAMES)).toBe(name));

test.each(["", "fix", "bug", "refactor", "重构", "statsu of the build", "Fix the status page", "abrot everything now", "teste"])(
  "%j may be a job",
  (words) => expect(nearCommand([words], NAMES)).toBeUndefined(),
);

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["status", "status", 0],
  ["ab", "ba", 1],
  ["abrot", "abort", 1],
  ["kitten", "sitting", 3],
])("%j and %j are %d apart, both ways", (a, b, distance) => {
  expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
});
