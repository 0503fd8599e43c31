import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { closedAddress } from "../engines/server.ts";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { REQUEST } from "./small-job.ts";

test("without a key and without a terminal three lines say what helps, and no file is made", async () => {
  const folder = await newFolder();
  const { code, stdout, stderr } = await flower([REQUEST], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY/),
    expect.stringMatching(/OLLAMA_BASE_URL=/),
    expect.stringMatching(/flower demo/),
  ]);
  expect(await readdir(folder)).toEqual([]);
});

test("a wrong key is said after one request, not tried again", async () => {
  const server = await serveModel(() => ({ status: 401, message: "Incorrect API key provided: key-0123456789." }));
  const folder = await newFolder();
  const begun = Date.now();
  const { code, stdout, stderr } = await flower([REQUEST], { cwd: folder, env: server.env() });
  expect(code).toBe(1);
  expect(server.requests).toHaveLength(1);
  expect(Date.now() - begun).toBeLessThan(5_000);
  expect(stdout).toContain("OpenAI refused the key (401). Check OPENAI_API_KEY.");
  expect(stdout + stderr + (await new Books(folder).log())).not.toContain("key-0123456789");
});

test("a model that cannot be reached is tried six times, then the run says so and fails", async () => {
  const folder = await newFolder();
  const env = { FLOWER_MODEL: "openai/gpt-4o", OPENAI_API_KEY: "key-0123456789", OPENAI_BASE_URL: await closedAddress() };
  const { code, stdout } = await flower([REQUEST], { cwd: folder, env });
  const books = new Books(folder);
  expect(code).toBe(1);
  expect((await books.payloads("retry")).map(({ attempt, reason }) => [attempt, reason])).toEqual(
    [2, 3, 4, 5, 6].map((attempt) => [attempt, "offline"]),
  );
  expect(await books.manifest()).toMatchObject([{ step: "clarify", ok: false, attempts: 6, errorKind: "offline" }]);
  expect(await books.end()).toMatchObject({
    outcome: "failed",
    failedAt: "clarify",
    reason: expect.stringMatching(/could not be reached.*6 attempts/),
  });
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/could not be reached .* Gave up after 6 attempts/);
});
