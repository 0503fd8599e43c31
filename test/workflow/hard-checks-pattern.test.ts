import { expect, test } from "vitest";
import { runHardChecks } from "../../src/workflow/hard-checks.ts";
import { matchInTime } from "../../src/workflow/timed-match.ts";
import { newFolder } from "../folder.ts";

test("a pattern that would take years is a failed expectation, after a second", async () => {
  const command = `printf '%s!' ${"a".repeat(40)}`;
  const [result] = await runHardChecks([{ text: "a", command, expect: { stdoutMatches: "/^(a+)+$/" } }], {
    workspaceOf: newFolder,
    env: process.env,
    signal: new AbortController().signal,
    refuses: async () => undefined,
    onRefused: () => {},
  });
  expect(result).toMatchObject({ ok: false, evidence: expect.stringContaining("the pattern took too long: /^(a+)+$/") });
});

test("other patterns are matched as ever, flags and all", () => {
  expect(matchInTime("/^B$/im", "a\nb")).toBe(true);
  expect(matchInTime("^b$", "a\nb")).toBe(false);
  expect(matchInTime("(", "(")).toBe(false);
  expect(matchInTime("(?:a{1000}){1000}b{1000}", "a")).toBe(false);
});
