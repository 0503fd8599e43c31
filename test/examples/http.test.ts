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

  it("what a client gets wrong is the client's fault", async () => {
    const post = async (session: string, body: string) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      return (await fetch(`${base}/sessions/${session}/turns`, init)).status;
    };
    for (const body of ["{", "", "null", "5", "{}", '{ "message": 5 }']) expect([body, await post("u3", body)]).toEqual([body, 400]);
    expect(await post("u3", JSON.stringify({ message: "x".repeat(100_000) }))).toBe(413);
    expect(await post("%E0%A4%A", "{")).toBe(400);
    expect(await say("u3", "Hello")).toMatchObject({ status: 200 });
  });

  it("ends by itself when it is told to", async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});
