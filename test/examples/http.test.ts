import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleAt } from "./programs.ts";

describe.each(["http-node", "http-hono", "http-express"])("the chat endpoint of examples/%s.ts", (name) => {
  const child = spawn(process.execPath, [exampleAt(name)], { stdio: ["ignore", "pipe", "inherit"] });
  let base = "";

  beforeAll(async () => {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    base = `http://127.0.0.1:${(JSON.parse(line.toString()) as { port: number }).port}`;
  });
  afterAll(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
  });

  const say = async (session: string, message: unknown) => {
    const response = await fetch(`${base}/sessions/${session}/turns`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it("answers, hands over, and keeps the agent for the next turn", async () => {
    expect(await say("u1", "Hello")).toMatchObject({ status: 200, body: { content: "You said: Hello", agent: "Support" } });
    expect(await say("u1", "My invoice is wrong")).toMatchObject({
      status: 200,
      body: { agent: "Billing", handoff: { targetAgentName: "Billing" } },
    });
    expect(await say("u1", "Thanks")).toMatchObject({ body: { agent: "Billing" } });
    expect(await say("u2", "Hi")).toMatchObject({ body: { agent: "Support" } });
  });

  it("keeps twenty messages of one session in line", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => say("busy", `m${index}`)));
    expect(answers.map(({ body }) => body["content"]).sort()).toEqual(
      Array.from({ length: 20 }, (_, index) => `You said: m${index}`).sort(),
    );
  });

  it("ends by itself when it is told to", async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});
