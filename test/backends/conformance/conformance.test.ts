import { describe, it } from "vitest";
import { testBackend } from "../../../src/testing/backend.ts";
import { needsSdk } from "../claude/needs-sdk.ts";
import { claudeFixture, nativeFixture } from "./fixtures.ts";

describe("backends", () => {
  testBackend("native", nativeFixture, it);
});
describe("claude", () => {
  needsSdk();
  testBackend("claude", claudeFixture, it);
});
