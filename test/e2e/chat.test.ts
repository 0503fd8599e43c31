import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, inject, test } from "vitest";
import { type CliOptions, cleanEnvironment, type Ended, flower, newFolder } from "./cli.ts";
import { type ModelScript, serveModel } from "./model-server.ts";
import { hasScript, Terminal } from "./terminal.ts";

const AGENTS = `
  import { Agent, tool } from "flower-agents";
  const lookUp = tool({
    name: "look_up",
    description: "Looks a bill up.",
    parameters: { type: "object", properties: { bill: { type: "string" } }, required: ["bill"] },
    execute: ({ bill }) => \`bill \${bill} is paid\`,
  });
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"] },
    needsApproval: true,
    execute: ({ euros }) => \`paid \${euros}\`,
  });
  export const clerk = new Agent({ name: "Clerk", instructions: "You are the clerk.", tools: [pay] });
  const billing = new Agent({ name: "Billing", instructions: "You are Billing.", tools: [lookUp] });
  export const support = new Agent({ name: "Support", instructions: "You are Support.", handoffs: [billing] });
`;

/** Support hands bills over to Billing, who looks them up; all else is answered at once. */
const model: ModelScript = ({ prompt, news, tools, texts }) => {
  const isBilling = texts[0]?.includes("You are Billing.") ?? false;
  if (!prompt.includes("bill")) return { text: `${isBilling ? "Billing" : "Support"} heard: ${prompt}` };
  if (!isBilling) return { calls: [{ name: tools.find((name) => name.startsWith("transfer_to_")) ?? "none", args: { reason: "a bill" } }] };
  const found = news.find((result) => result.startsWith("bill"));
  return found ? { text: `I see: ${found}.` } : { calls: [{ name: "look_up", args: { bill: "B7" } }] };
};

async function placeWithAgents(): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, "agents.ts"), AGENTS);
  return folder;
}

/** `flower chat` with these lines on its input, to its end. */
async function chatWith(lines: readonly string[], args: readonly string[], { cwd, env }: CliOptions): Promise<Ended> {
  const all = { ...(await cleanEnvironment()), ...env };
  const child = spawn(process.execPath, [inject("cli"), "chat", ...args], { cwd, env: all, stdio: "pipe" });
  child.stdin.on("error", () => {}); // it may end before it has read everything
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

const linesOf = ({ stdout }: Ended) => stdout.trimEnd().split("\n");

test("who speaks, calls, handovers and tokens are shown; what was said and who there is can be asked; a reset begins anew", async () => {
  const server = await serveModel(model);
  const typed = [
    "/history",
    "Hi there",
    "",
    "/agents",
    "my bill, please",
    "/history",
    "/reset",
    "/history",
    "Hi again",
    "/hlep",
    "/quit",
    "no more",
  ];
  const ended = await chatWith(typed, ["agents.ts:support"], { cwd: await placeWithAgents(), env: server.env() });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(linesOf(ended)).toEqual([
    "Talking to Support, Billing. /help lists the commands.",
    "Nothing has been said yet.",
    "Support:",
    "Support heard: Hi there",
    expect.stringMatching(/^Support · /),
    "Support",
    "Billing",
    expect.stringMatching(/^⏺ transfer_to_billing/),
    "→ Support → Billing: a bill",
    "⏺ look_up  B7",
    "Billing:",
    "I see: bill B7 is paid.",
    expect.stringMatching(/^Billing · .* tokens in 400, out 40$/),
    "user: Hi there",
    "Support: Support heard: Hi there",
    "user: my bill, please",
    "Billing: I see: bill B7 is paid.",
    "A new conversation begins.",
    "Nothing has been said yet.",
    "Support:",
    "Support heard: Hi again",
    expect.stringMatching(/^Support · .* tokens in 500, out 50$/),
    expect.stringMatching(/^\/reset begins a new conversation/),
  ]);
  expect(server.requests.at(-1)?.texts.join()).not.toMatch(/there|bill/);
});

test("a conversation in a file goes on in the next process, with the agent that it was handed to; others of the file are not it", async () => {
  const server = await serveModel(model);
  const place = { cwd: await placeWithAgents(), env: server.env() };
  const args = ["agents.ts:support", "--db", "chat.db"];
  expect((await chatWith(["my bill, please"], args, place)).code).toBe(0); // the end of the input is an end, too
  const later = await chatWith(["thanks", "/history"], args, place);
  expect(linesOf(later)).toEqual(expect.arrayContaining(["Billing heard: thanks", "user: my bill, please", "user: thanks"]));
  expect(linesOf(await chatWith(["/history"], [...args, "--session", "other"], place)).at(-1)).toBe("Nothing has been said yet.");
});

test("calls that need consent are asked about one by one; what is allowed runs, what is refused is told with the person's words", async () => {
  const server = await serveModel(({ news, prompt }) => {
    if (prompt === "Hi") return { text: "Hello." };
    return news.length > 0 ? { text: news.join(" | ") } : { calls: [5, 50, 500].map((euros) => ({ name: "pay", args: { euros } })) };
  });
  const typed = ["pay", "yes", "/agents", "far too much", "2", "pay", "/reset", "Hi"];
  const ended = await chatWith(typed, ["agents.ts:clerk"], { cwd: await placeWithAgents(), env: server.env() });
  expect(ended.code).toBe(0);
  const asks = linesOf(ended).filter((line) => line.startsWith("Clerk asks"));
  expect(asks).toEqual([5, 50, 500, 5].map((euros) => `Clerk asks for your consent: pay {"euros":${euros}}`));
  expect(server.requests[1]?.news).toEqual([
    "paid 5",
    'The person did not allow this call of "pay". They say: far too much. Do not try it in another form.',
    'The person did not allow this call of "pay". Do not try it in another form.',
  ]);
  expect(ended.stdout).toContain("tokens in 200, out 20\n"); // two model calls, whatever was asked in between
  expect(ended.stdout).not.toMatch(/paid 50/);
  expect(linesOf(ended)).toContain("Hello.");
});

test("a turn that fails is said with what to do, leaves the conversation as it was, and shows in the exit code", async () => {
  const server = await serveModel((view) => (view.prompt === "fail" ? { status: 401, message: "no" } : model(view)));
  const place = { cwd: await placeWithAgents(), env: server.env() };
  const ended = await chatWith(["one", "fail", "two", "/history"], ["agents.ts:support"], place);
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain(
    "OpenAI refused the key (401). Check OPENAI_API_KEY.\nThe conversation is as it was before this message.\n",
  );
  expect(linesOf(ended).slice(-4)).toEqual(["user: one", "Support: Support heard: one", "user: two", "Support: Support heard: two"]);
});

test("without a provider it says what to set before anybody types; one on this machine needs no key", async () => {
  const cwd = await newFolder();
  const { code, stdout, stderr } = await flower(["chat"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY[\s\S]*OLLAMA_BASE_URL=/);
  const server = await serveModel(model);
  const ended = await chatWith(["Hi"], ["--engine", "ollama"], { cwd, env: { OLLAMA_BASE_URL: server.url } });
  expect(linesOf(ended).slice(1, 3)).toEqual(["assistant:", "Support heard: Hi"]);
});

describe.skipIf(!hasScript)("at a real terminal", () => {
  test("Ctrl+C stops the answer under way and nothing else; without one it ends the talk", async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const server = await serveModel((view) => (view.prompt === "slow" ? waiting.then(() => ({ text: "late" })) : model(view)));
    const terminal = await Terminal.open(["chat", "agents.ts:support"], { cwd: await placeWithAgents(), env: server.env() });
    await terminal.shows("Talking to Support");
    const arrived = server.nextRequest();
    terminal.type("slow\r");
    await arrived;
    terminal.type("\x03");
    await terminal.shows("The conversation is as it was before this message.");
    terminal.type("Hi\r");
    await terminal.shows("Support heard: Hi");
    await terminal.shows("tokens in 100");
    terminal.type("\x03");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).not.toContain("late");
    goOn();
    expect(server.requests.at(-1)?.texts.join()).not.toContain("slow");
  });
});
