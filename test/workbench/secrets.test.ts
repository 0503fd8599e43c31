import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeEvent } from "../../src/messages/event.ts";
import { maskEvent, maskSecrets } from "../../src/workbench/secrets.ts";
import { runs } from "../random-runs.ts";

const letters = (length: number) => "aB3dE6gH9j".repeat(10).slice(0, length);
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${letters(64)}\n${letters(20)}/+==\n-----END RSA PRIVATE KEY-----`;
/** Put together here, so that no scanner takes this file for a leak. */
const SECRETS = [
  `sk-${letters(40)}`,
  `sk-ant-api03-${letters(60)}`,
  `sk-proj-${letters(30)}_${letters(20)}`,
  `AIza${letters(35)}`,
  `ghp_${letters(36)}`,
  `github_pat_${letters(22)}_${letters(50)}`,
  `xoxb-1234567890-${letters(24)}`,
  "AKIA1234567890ABCDEF",
  `eyJ${letters(20)}.eyJ${letters(30)}.${letters(40)}`,
  PEM,
];

describe("a secret is masked wherever it stands", () => {
  test.each(SECRETS)("%s", (secret) => {
    for (const [before, after] of [
      ["", ""],
      ["key ", " end"],
      ['"', '"'],
      ["a\n", "\n"],
      ["\u001b[32m", "\u001b[0m"],
      ["=", ";"],
      ["(", ")"],
    ]) {
      expect(maskSecrets(`${before}${secret}${after}`)).toBe(`${before}[secret]${after}`);
      const json = JSON.stringify({ text: `${before}${secret}${after}`, n: 1 });
      expect(JSON.parse(maskSecrets(json))).toEqual({ text: `${before}[secret]${after}`, n: 1 });
    }
  });

  test.each([
    [`Authorization: Bearer ${letters(30)}`, "Authorization: Bearer [secret]"],
    ["https://u:hunter2@host/x", "https://u:[secret]@host/x"],
    ["https://h/?a=1&password=hunter2&b=2#c", "https://h/?a=1&password=[secret]&b=2#c"],
    ["https://h/cb?access_token=abc123", "https://h/cb?access_token=[secret]"],
    ["MY_API_KEY=abcdefgh12345", "MY_API_KEY=[secret]"],
  ])("%s", (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
    expect(maskSecrets(masked)).toBe(masked);
  });

  test("a private key whose end is cut off too", () => {
    expect(maskSecrets(`x ${PEM.slice(0, 90)}`)).toBe("x [secret]");
  });
});

test.each([
  "a task-list-of-many-long-words-and-more",
  "risk-assessment-of-the-whole-system",
  "const token = readToken(key);",
  "https://host/path?page=2&sort=name",
  "http://localhost:8080/a@b",
  "The bearer of this letter",
  "-----BEGIN CERTIFICATE-----",
])("ordinary text stays as it is: %s", (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test("JSON stays JSON of the same shape, and masking twice is masking once", () => {
  const piece = fc.oneof(
    fc.constantFrom(...SECRETS, "?token=", "Bearer ", "://u:", "@", '"', "\\", "\n", "API_KEY="),
    fc.string({ unit: "binary" }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          text,
          text.map((one) => JSON.stringify(one)),
        ),
        { maxLength: 4 },
      ),
      (texts) => {
        const masked = maskSecrets(JSON.stringify({ texts }));
        expect(JSON.parse(masked).texts).toHaveLength(texts.length);
        expect(maskSecrets(masked)).toBe(masked);
      },
    ),
    runs(1_000),
  );
});

test("an event is masked in text and payload, keeps what it was made of out of sight, and stays itself when it holds no secret", () => {
  const secret = `sk-${letters(40)}`;
  const raw = { secret };
  const payload = { agent: "a", iteration: 1, id: "c1", input: { key: secret, n: 1 } };
  const masked = maskEvent(makeEvent("tool_call", `use ${secret}`, payload, { tool: "Bash", raw }));
  const shown = { kind: "tool_call", text: "use [secret]", tool: "Bash", payload: { ...payload, input: { key: "[secret]", n: 1 } } };
  expect(JSON.parse(JSON.stringify(masked))).toEqual(shown);
  expect(masked.raw).toBe(raw);
  const harmless = makeEvent("text", "Well.", { agent: "a", iteration: 1 });
  expect(maskEvent(harmless)).toBe(harmless);
  const odd = makeEvent("task", secret, { type: "notice", code: "c", data: { big: 1n } as unknown as null });
  expect(maskEvent(odd)).toMatchObject({ text: "[secret]", payload: { data: { big: "1" } } });
});

test.each([
  ["prefixes", "sk-".repeat(300_000)],
  ["half keys", "-----BEGIN PRIVATE KEY-----\n".repeat(30_000)],
  ["one endless key", `-----BEGIN PRIVATE KEY-----${"a".repeat(1_000_000)}`],
  ["addresses", "://a:".repeat(200_000)],
  ["capitals", "A".repeat(1_000_000)],
  ["bearers", "Bearer ".repeat(140_000)],
])("a megabyte of %s takes no time", (_name, text) => {
  const start = performance.now();
  maskSecrets(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});
