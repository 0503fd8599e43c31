import { expect, it } from "vitest";
import type { Message } from "../../src/messages/message.ts";
import { entry, journal } from "../../src/testing/session-store-fixture.ts";
import { sqliteFixture } from "./fixtures.ts";

const at = "2025-01-01T00:00:00.000Z";
const usage = { inputTokens: 0, cacheReadTokens: 7, cacheWriteTokens: 0, outputTokens: 0 };
const parts = [{ type: "text", text: "so" }] as const;

it.each<[string, readonly Message[]]>([
  [
    "instants in our form and in others",
    ["2025-01-01T00:00:00Z", "2025-01-01T01:00:00.000+01:00", "today"].map((other, n) => said(`u${n}`, other)),
  ],
  [
    "a person's words, the framework's, and nobody's",
    ["person", "framework", undefined].map((origin, n) => ({ ...said(`u${n}`), ...(origin && { origin }) }) as Message),
  ],
  [
    "counts that are 0",
    [said("u"), { id: "m", role: "model", at, parts, usage }, { id: "n", role: "model", at, parts, usage: { ...usage, costUsd: 0 } }],
  ],
  ["a text that a provider marked", [{ ...said("u"), parts: [{ type: "text", text: "so", providerMetadata: { x: { y: 1 } } }] }]],
])("a database gives back exactly what was written: %s", async (_what, messages) => {
  const fixture = sqliteFixture();
  const lease = await fixture.store.open("s");
  await lease.begin("t", [entry(said("first"))]);
  await journal(lease, ...messages);
  await lease.commit({ end: true, release: true });
  expect((await (await fixture.reopen()).read("s"))?.history).toStrictEqual([said("first"), ...messages]);
  await fixture.cleanup();
});

function said(id: string, when = at): Message {
  return { id, role: "user", parts, at: when };
}
