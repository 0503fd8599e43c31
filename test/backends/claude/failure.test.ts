import { expect, test } from "vitest";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { tool } from "../../../src/tools/tool.ts";
import { closedAddress } from "../../engines/server.ts";
import { inShort, openDesk } from "./desk.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import type { ModelAnswer } from "./messages-server.ts";
import { needsSdk } from "./needs-sdk.ts";
import { SDK } from "./sdk-file.ts";

needsSdk();

const step = tool({ name: "step", description: "A step.", parameters: { type: "object" }, execute: () => "stepped" });

const FAILURES: readonly (readonly [string, ModelAnswer, ErrorCode, boolean])[] = [
  ["an overload", { status: 529, type: "overloaded_error", message: "Overloaded" }, "overloaded", true],
  ["a server error", { status: 500, type: "api_error", message: "Internal server error" }, "overloaded", true],
  ["a rate limit", { status: 429, type: "rate_limit_error", message: "slow down" }, "rate-limited", true],
  ["a wrong key", { status: 401, type: "authentication_error", message: "invalid x-api-key" }, "auth", false],
  ["a request that is refused", { status: 400, type: "invalid_request_error", message: "bad thing" }, "bad-request", false],
  [
    "no credit",
    { status: 400, type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." },
    "quota",
    false,
  ],
  [
    "a full context",
    { status: 400, type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
    "context-overflow",
    false,
  ],
];

test.each(FAILURES)("%s is our error, once, after its result; the prompt can be given again", async (_name, answer, code, retryable) => {
  const desk = await openDesk(() => answer);
  const { events, error } = await desk.run();
  expect(error).toMatchObject({ code, retryable });
  expect(events.map(({ kind }) => kind)).toEqual(["prompt", "error", "result"]);
  expect(events[1]?.payload).toMatchObject({ synthetic: true });
  expect(events[2]?.payload).toMatchObject({ isError: true, errorKind: code });
  expect(desk.started()).toBe(0);
  expect(await desk.backend.hasSession("s1")).toBe(false);
  const later = await openDesk(["fine"], {}, desk);
  expect((await later.run()).outcome).toEqual({ kind: "done", text: "fine" });
});

test("a failure in mid-work keeps what was finished: the session goes on, and the error is not part of what the model reads", async () => {
  const desk = await openDesk([{ calls: [{ name: "step" }] }, { status: 529, type: "overloaded_error", message: "Overloaded" }], {
    tools: [step],
  });
  const { error } = await desk.run();
  expect(error).toMatchObject({ code: "overloaded" });
  expect(desk.started()).toBe(1);
  const later = await openDesk(["on again"], { tools: [step] }, desk);
  expect((await later.run({ prompt: "go on", resume: true })).outcome).toEqual({ kind: "done", text: "on again" });
  const read = JSON.stringify(later.server.asked[0]?.messages);
  expect(read).toContain("stepped");
  expect(read).not.toContain("API Error");
  expect(read).not.toContain("Overloaded");
});

test("a reply that is cut is tried again by the CLI or fails as something to try again; nothing of it is speech twice", async () => {
  const desk = await openDesk(() => ({ text: "half of it", end: "destroy" as const }));
  const { error, events } = await desk.run();
  expect(error).toMatchObject({ retryable: true });
  expect(events.at(-1)?.payload).toMatchObject({ isError: true });
  expect(inShort(events).filter((line) => line.startsWith("result"))).toHaveLength(1);
});

test("an address where nobody listens is offline", async () => {
  const { claudeBackend } = await import("../../../src/backends/claude/index.ts");
  const desk = await openDesk([]);
  const backend = claudeBackend({
    env: isolatedEnvironment(desk.folder, await closedAddress()),
    ...(SDK === undefined ? {} : { sdk: SDK }),
  });
  const run = backend.run(desk.query());
  await expect(
    (async () => {
      for (let next = await run.next(); !next.done; next = await run.next());
    })(),
  ).rejects.toMatchObject({ code: "offline", retryable: true });
});

test("a tool that fails the run ends it with that error", async () => {
  const { FlowerError } = await import("../../../src/core/errors.ts");
  const fatal = tool({
    name: "fatal",
    description: "Ends it all.",
    parameters: { type: "object" },
    execute: () => {
      throw new FlowerError("fatal-tool-error", "the disk is full");
    },
  });
  const desk = await openDesk([{ calls: [{ name: "fatal" }] }, "no"], { tools: [fatal] });
  const { error, events } = await desk.run();
  expect(error).toMatchObject({ code: "fatal-tool-error", message: "the disk is full" });
  expect(events.at(-1)?.payload).toMatchObject({ isError: true, errorKind: "fatal-tool-error" });
  expect(desk.server.asked).toHaveLength(1);
});
