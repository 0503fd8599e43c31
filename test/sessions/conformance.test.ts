import { describe, it } from "vitest";
import { testSessionStore } from "../../src/testing/session-store.ts";
import { memoryFixture, sqliteFixture } from "./fixtures.ts";

describe("session stores", () => {
  testSessionStore("memory", () => memoryFixture(), it);
  testSessionStore("sqlite", () => sqliteFixture(), it);
});
