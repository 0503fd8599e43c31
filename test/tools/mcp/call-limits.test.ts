import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { CallLimits } from "../../../src/tools/mcp/call-limits.ts";
import { McpConnection } from "../../../src/tools/mcp/connection.ts";
import { trips } from "./servers.ts";

const never = new AbortController().signal;

test("a person may take longer to answer than a call may take", { timeout: 60_000 }, async () => {
  const clock = new FakeClock();
  const answers = ["Lisboa", "2"];
  const ask = async () => {
    await clock.advance(3_600_000);
    return { answer: answers.shift() ?? "" };
  };
  const connection = new McpConnection("trips", { ...trips, timeoutMs: 60_000 }, ask, clock);
  onTestFinished(() => connection.close());
  const { content } = await connection.call("book", {}, never);
  expect(JSON.stringify(content)).toContain("Lisboa");
  expect(clock.timers).toBe(0);
});

test("a call that is silent for its time is given up, with how long that was; progress renews it", async () => {
  const clock = new FakeClock();
  const limits = new CallLimits(60_000, clock);
  const call = limits.hold(
    never,
    ({ signal, onprogress }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        clock.after(59_000, onprogress);
      }),
  );
  const end = call.then(String, (error: unknown) => String(error));
  await clock.advance(118_000);
  expect(clock.timers).toBe(1);
  await clock.advance(1_000);
  expect(await end).toContain("no answer within 60 s");
  expect(clock.timers).toBe(0);
});

test("time passes again once the person has answered, from its beginning", async () => {
  const clock = new FakeClock();
  const limits = new CallLimits(60_000, clock);
  const call = limits.hold(
    never,
    ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const end = call.catch((error: unknown) => String(error));
  await clock.advance(30_000);
  await limits.whileAsking(() => clock.advance(600_000));
  await clock.advance(59_999);
  expect(clock.timers).toBe(1);
  await clock.advance(1);
  expect(await end).toContain("no answer");
});
