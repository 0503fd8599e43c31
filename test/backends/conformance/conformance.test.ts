import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BACKEND_CASES, type Difference, MAY_DIFFER, testBackend, transcriptOf } from "../../../src/testing/backend.ts";
import { needsSdk } from "../claude/needs-sdk.ts";
import { claudeFixture, nativeFixture } from "./fixtures.ts";
import { Recorder } from "./recorder.ts";

const native = new Recorder(nativeFixture);
const claude = new Recorder(claudeFixture);
const PAGE = new URL("../../../docs/backends.md", import.meta.url);

describe("our own loop", () => {
  testBackend("native", native.make, it);
});

describe("the Claude Agent SDK", () => {
  needsSdk();
  testBackend("claude", claude.make, it);

  it.each(BACKEND_CASES)("both say the same: $name", ({ name }) => {
    expect(said(claude, name)).toEqual(said(native, name));
  });

  it("what the documentation says of each difference is so", () => {
    const page = readFileSync(PAGE, "utf8");
    const wrong = MAY_DIFFER.filter((difference) => {
      const row = `| ${difference.what} | ${difference.why} |`;
      return !page.includes(`${row} ${doDiffer(difference) ? "yes" : "no"} |`) && !page.includes(`${row} at times |`);
    });
    expect(wrong.map(({ what }) => what)).toEqual([]);
  });
});

/** What a backend said in a case, query by query. */
function said({ plays }: Recorder, name: string, settled?: readonly Difference[]): readonly (readonly string[])[] {
  const played = plays.get(name) ?? [];
  expect(played, `${name} was not played`).not.toHaveLength(0);
  return played.map((one) => transcriptOf(one, settled));
}

/** Whether they differ in some case when it alone is not taken out of the comparison. */
function doDiffer(difference: Difference): boolean {
  const others = MAY_DIFFER.filter((one) => one !== difference);
  return BACKEND_CASES.some(({ name }) => JSON.stringify(said(native, name, others)) !== JSON.stringify(said(claude, name, others)));
}
