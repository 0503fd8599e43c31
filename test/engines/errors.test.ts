import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { factsOf, retryAfterMs } from "../../src/engines/error-facts.ts";
import { redact, toEngineError } from "../../src/engines/errors.ts";

const at = { provider: "openai", model: "gpt-4o", streaming: false };

/** An exception as the provider packages throw it. */
function apiError(statusCode: number, body: unknown, headers: Record<string, string> = {}): Error {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  const error = Object.assign(new Error("Bad thing"), {
    statusCode,
    responseBody,
    responseHeaders: headers,
    requestBodyValues: { input: "PROMPT" },
  });
  error.name = "AI_APICallError";
  return error;
}

const said = (message: string, more: object = {}) => ({ error: { message, ...more } });
const withCode = (code: string, message = "it broke") =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });

describe("toEngineError", () => {
  it.each([
    ["quota", apiError(429, said("You exceeded your current quota", { code: "insufficient_quota", type: "insufficient_quota" }))],
    ["quota", apiError(400, said("Your credit balance is too low to access the Anthropic API.", { type: "invalid_request_error" }))],
    ["quota", apiError(402, said("Insufficient Balance"))],
    [
      "quota",
      apiError(
        429,
        said("You exceeded your current quota", {
          status: "RESOURCE_EXHAUSTED",
          details: [{ quotaId: "GenerateRequestsPerDayPerProject" }],
        }),
      ),
    ],
    [
      "rate-limited",
      apiError(429, said("You exceeded your current quota", { status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "34s" }] })),
    ],
    ["rate-limited", apiError(429, said("would exceed the rate limit of 30,000 input tokens per minute", { type: "rate_limit_error" }))],
    ["rate-limited", { type: "rate_limit_error", message: "slow" }],
    ["auth", apiError(403, said("Your key may not use this model"))],
    ["bad-request", apiError(404, said("The model `x` does not exist", { code: "model_not_found" }))],
    ["bad-request", apiError(400, said("max_tokens: 9000 > 4096, which is the maximum allowed number of output tokens"))],
    ["context-overflow", apiError(400, said("prompt is too long: 210000 tokens > 200000 maximum"))],
    ["context-overflow", apiError(400, said("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"))],
    ["context-overflow", apiError(413, said("Request exceeds the maximum size", { type: "request_too_large" }))],
    ["context-overflow", apiError(400, said("the request exceeds the available context size, try increasing it"))],
    ["content-filter", apiError(400, said("The response was filtered", { code: "content_filter" }))],
    ["content-filter", apiError(400, said("Output blocked by content filtering policy"))],
    ["overloaded", apiError(529, said("Overloaded", { type: "overloaded_error" }))],
    ["overloaded", apiError(408, "")],
    ["overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["overloaded", { message: "Our servers are overloaded", code: "server_error", statusCode: 503 }],
    ["offline", withCode("ECONNREFUSED")],
    ["offline", withCode("ENOTFOUND", "getaddrinfo ENOTFOUND api.openai.com")],
    ["offline", withCode("ECONNRESET")],
    ["offline", withCode("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate")],
    ["offline", withCode("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error")],
    ["stream-cut", new TypeError("terminated")],
    ["aborted", Object.assign(new Error("This operation was aborted"), { name: "AbortError" })],
    ["unknown", new RangeError("surprise")],
    ["unknown", undefined],
  ])("is %s for %o", (code, error) => {
    expect(toEngineError(error, at).code).toBe(code);
  });

  it("takes a connection that breaks during a reply for a cut stream, not for a missing network", () => {
    expect(toEngineError(withCode("ECONNRESET"), { ...at, streaming: true }).code).toBe("stream-cut");
  });

  it("says what to do about a refused key", () => {
    expect(toEngineError(apiError(401, said("no")), at).message).toBe("OpenAI refused the key (401). Check OPENAI_API_KEY.");
  });

  it("shows no key, query or request body, not even in its cause", () => {
    const secret = "very-own-key-1234";
    const text = `failed at https://me:pw@host.test/v1/x?key=${secret}&a=b with Bearer ${secret} and ${secret}, sk-proj-abcdef12345`;
    const shown = inspect(toEngineError(apiError(400, said(text)), { ...at, secrets: [secret] }), { depth: 10 });
    expect(shown).toContain("https://host.test/v1/x");
    expect(shown).not.toMatch(/very-own|me:pw|a=b|sk-proj|PROMPT/);
  });

  it("leaves harmless words as they are", () => {
    expect(redact("Why? Because task-based work is risky.")).toBe("Why? Because task-based work is risky.");
  });
});

describe("retryAfterMs", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "Retry-After": "0" }, 0],
    [{ "retry-after-ms": "150", "retry-after": "1" }, 150],
    [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("reads %o as %s", (headers, expected) => {
    expect(retryAfterMs(factsOf(apiError(429, "", headers as Record<string, string>)), now)).toBe(expected);
  });

  it("reads Gemini's delay from the body", () => {
    expect(retryAfterMs(factsOf(apiError(429, said("slow", { details: [{ retryDelay: "34.5s" }] }))), now)).toBe(34_500);
  });
});
