import { expect, test, vi } from "vitest";
import type { LoggedEvent } from "../../src/messages/event.ts";
import type { RunState } from "../../src/server/run-control.ts";
import { type Service, startService } from "./programs.ts";

/** Polls by number until the run has ended; gives all numbers it saw. */
async function poll(service: Service, until: (event: LoggedEvent) => boolean, after = 0): Promise<readonly number[]> {
  const seen: number[] = [];
  await vi.waitFor(
    async () => {
      const events = (await service.get(`/events?after=${seen.at(-1) ?? after}`)) as readonly LoggedEvent[];
      seen.push(...events.map((event) => event.seq));
      expect(events.some(until)).toBe(true);
    },
    { timeout: 20_000, interval: 20 },
  );
  return seen;
}

const isEnd = ({ payload }: LoggedEvent) => JSON.stringify(payload).includes('"run-end"');

test("a client that polls by number sees every event once, finds the question, and answers it", async () => {
  const service = await startService("http-polling");
  const before = await poll(service, ({ kind }) => kind === "ask");
  const state = (await service.get("/state")) as RunState;
  expect(state).toMatchObject({ state: "running", activity: "question", asks: [{ id: "q1", options: ["Hello", "Good day"] }] });
  expect(await service.post("/asks/q1/answer", { text: "Hello" })).toEqual({ ok: true });
  expect(await service.post("/asks/q1/decline", {})).toEqual({ ok: false });
  const rest = await poll(service, isEnd, before.at(-1));
  const all = [...before, ...rest];
  expect(all).toEqual(all.map((_, index) => index + 1));
  expect(await poll(service, isEnd)).toEqual(all); // who comes late sees the same
  expect(await service.get("/state")).toMatchObject({ state: "ended", outcome: "achieved", exitCode: 0, asks: [], lastSeq: all.length });
});

test("what is no number is refused, and the service ends by itself when it is told to", async () => {
  const service = await startService("http-polling");
  expect((await fetch(`${service.base}/events?after=x`)).status).toBe(400);
  const answer = async (contentType: string) => {
    const init = { method: "POST", headers: { "content-type": contentType }, body: "null" };
    return (await fetch(`${service.base}/asks/q1/answer`, init)).status;
  };
  expect([await answer("application/json"), await answer("text/plain")]).toEqual([400, 403]);
  expect(await service.get("/events?after=other:1")).toEqual({ code: "not-found" });
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
});
