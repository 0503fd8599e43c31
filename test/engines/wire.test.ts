import { describe, expect, it } from "vitest";
import { ask, content, rejection, request } from "./ask.ts";
import { closedAddress, events, failure, serve } from "./server.ts";
import { KEY, WIRES } from "./wires.ts";

describe.each(WIRES)("$name over HTTP", (wire) => {
  it("streams text as deltas, one block and one finish, with its usage", async () => {
    await using server = await serve(events([...wire.begin("Hel", "lo."), ...wire.end]));
    const parts = content(await ask(wire.engine(server.url), "hi"));
    expect(parts.map((part) => part.type)).toEqual(["delta", "delta", "block", "finish"]);
    expect(parts[2]).toMatchObject({ of: "text", text: "Hello." });
    expect(parts[3]).toMatchObject({ reason: "stop", usage: { inputTokens: 12, cacheReadTokens: 8, outputTokens: 5 } });
    expect(server.requests).toHaveLength(1);
  });

  it("gives a sign of life for each event on the wire", async () => {
    await using server = await serve(events([...wire.begin("Hello."), ...wire.end]));
    const parts = await ask(wire.engine(server.url), "hi");
    expect(parts[0]).toEqual({ type: "alive" });
  });

  it("uses its connection again for the next request, also under another model", async () => {
    await using server = await serve(events([...wire.begin("Hello."), ...wire.end]));
    const engine = wire.engine(server.url);
    for (const each of [engine, engine, wire.canSwitch ? engine.withModel("other") : engine]) {
      await ask(each, "hi");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.requests).toHaveLength(3);
    expect(server.connections).toBe(1);
  });

  it("reports a withheld answer as finish content-filter", async () => {
    await using server = await serve(events([...wire.begin("I"), ...wire.filtered]));
    expect((await ask(wire.engine(server.url), "hi")).at(-1)).toMatchObject({ type: "finish", reason: "content-filter" });
  });

  it.runIf(wire.call)("hands on arguments that are not JSON as text, marked malformed", async () => {
    await using server = await serve(events(wire.call?.('{"a": 1, "b":') ?? []));
    const parts = content(await ask(wire.engine(server.url), "add"));
    expect(parts[0]).toMatchObject({ type: "call", name: "add", args: '{"a": 1, "b":', malformed: true });
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "calls" });
  });

  it.each([
    ["the connection breaks", "destroy"],
    ["the stream ends without a finish", "close"],
  ] as const)("throws stream-cut when %s, after the text so far", async (_how, end) => {
    await using server = await serve(events(wire.begin("Hel"), end));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of wire.engine(server.url).stream(request("hi"))) if (part.type === "delta") seen.push(part.text);
    })();
    expect(await rejection(reading)).toMatchObject({ code: "stream-cut", retryable: true });
    expect(seen).toEqual(["Hel"]);
  });

  it.runIf(wire.call)("does not take calls of a stream that just stopped for a finished reply", async () => {
    const whole = wire.call?.('{"a":1}') ?? [];
    const stop = whole.findIndex((event) =>
      /message_delta|response.completed|"tool_calls"}\]|finish_reason":"tool/.test(JSON.stringify(event)),
    );
    await using server = await serve(events(whole.slice(0, stop)));
    expect(await rejection(ask(wire.engine(server.url), "add"))).toMatchObject({ code: "stream-cut" });
  });

  it("throws overloaded when the provider says so in mid-stream", async () => {
    await using server = await serve(events([...wire.begin("Hel"), wire.overloaded]));
    expect(await rejection(ask(wire.engine(server.url), "hi"))).toMatchObject({ code: "overloaded", retryable: true });
  });

  it("throws rate-limited with the wait that Retry-After gives, after exactly one request", async () => {
    await using server = await serve(failure(429, { error: { message: "Slow down", type: "rate_limit_error" } }, { "retry-after": "7" }));
    const error = await rejection(ask(wire.engine(server.url), "hi"));
    expect(error).toMatchObject({ code: "rate-limited", retryable: true, details: { retryAfterMs: 7000, status: 429 } });
    expect(server.requests).toHaveLength(1);
  });

  it("throws auth for a refused key, after exactly one request, without showing the key", async () => {
    await using server = await serve(failure(wire.badKey.status, wire.badKey.body));
    const error = await rejection(ask(wire.engine(server.url), "hi"));
    expect(error).toMatchObject({ code: "auth", retryable: false });
    expect(server.requests).toHaveLength(1);
    const { inspect } = await import("node:util");
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
  });

  it("throws bad-request with the provider's reason for a 400", async () => {
    await using server = await serve(failure(400, { error: { code: 400, message: "temperature must be below 2", type: "invalid" } }));
    expect(await rejection(ask(wire.engine(server.url), "hi"))).toMatchObject({ code: "bad-request", retryable: false });
  });

  it("throws context-overflow when the provider says that the input is too long", async () => {
    await using server = await serve(failure(wire.overflow.status, wire.overflow.body));
    expect(await rejection(ask(wire.engine(server.url), "hi"))).toMatchObject({ code: "context-overflow", retryable: false });
  });

  it.each([500, 502, 503, 529])("throws overloaded for a %d with a page instead of JSON", async (status) => {
    await using server = await serve((response) => void response.writeHead(status).end("<html>Bad gateway</html>"));
    expect(await rejection(ask(wire.engine(server.url), "hi"))).toMatchObject({ code: "overloaded", details: { status } });
  });

  it("throws offline, naming the address, when nothing listens", async () => {
    const url = await closedAddress();
    const error = await rejection(ask(wire.engine(url), "hi"));
    expect(error).toMatchObject({ code: "offline", retryable: true });
    expect(String(error)).toContain(new URL(url).host);
  });

  it("sends nothing when the signal is already aborted, and rejects with its reason", async () => {
    await using server = await serve(events(wire.end));
    const reason = new Error("changed my mind");
    expect(await rejection(ask(wire.engine(server.url), "hi", AbortSignal.abort(reason)))).toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  it("rejects with the signal's reason when aborted before the provider answers, and drops the connection", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    await using server = await serve(() => controller.abort(reason));
    expect(await rejection(ask(wire.engine(server.url), "hi", controller.signal))).toBe(reason);
    await server.dropped;
  });

  it("rejects with the signal's reason when aborted in mid-stream, and drops the connection", async () => {
    await using server = await serve(events(wire.begin("Hel"), "hang"));
    const controller = new AbortController();
    const reading = (async () => {
      for await (const part of wire.engine(server.url).stream(request("hi"), { signal: controller.signal })) {
        if (part.type === "delta") controller.abort("stop it");
      }
    })();
    expect(await rejection(reading)).toBe("stop it");
    await server.dropped;
  });

  it("drops the connection when the reader leaves early", async () => {
    await using server = await serve(events(wire.begin("Hel"), "hang"));
    for await (const part of wire.engine(server.url).stream(request("hi"))) if (part.type === "delta") break;
    await server.dropped;
  });
});
