import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHistory } from "../../src/messages/history.ts";
import { MemorySessionStore } from "../../src/sessions/memory.ts";
import type { SessionState } from "../../src/sessions/store.ts";
import type { SessionStoreFixture } from "../../src/testing/session-store.ts";
import { runs } from "../random-runs.ts";
import { conversations, play, playOnly } from "./conversation.ts";
import { STORES } from "./stage.ts";
import { transcript } from "./transcript.ts";

/** What a session says, apart from ids, times and traces. */
function gist(state: SessionState | undefined) {
  const lines = transcript(state?.history ?? []).map((line) => line.replaceAll(/trace \w{8}/g, "trace …"));
  return { lines, activeAgent: state?.activeAgent };
}

describe.each(STORES)(
  "any conversation over the %s store, with failures, aborts, timeouts, pauses, transfers and windows,",
  (name, make) => {
    it("leaves what the same conversation leaves without the turns that failed", { timeout: 60_000 }, async () => {
      const property = fc.asyncProperty(conversations, async (conversation) => {
        let fixture!: SessionStoreFixture;
        const played = await play(conversation, {
          store: (fault) => {
            fixture = make(fault);
            return fixture.store;
          },
          onFailed: (before, after) => expect(after).toEqual(before),
        });
        const reference = new MemorySessionStore();
        await playOnly(conversation, played.committed, reference);
        const left = await (await fixture.reopen()).read("s");
        expect(gist(left)).toEqual(gist(await reference.read("s")));
        expect(checkHistory(left?.history ?? [])).toEqual([]);
        for (const request of played.requests) expect(checkHistory(request.messages)).toEqual([]);
        await fixture.cleanup();
      });
      await fc.assert(property, runs(name === "memory" ? 80 : 25));
    });
  },
);
