import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { filesystem, trips } from "../tools/mcp/servers.ts";
import { Books } from "./books.ts";
import { flower, newFolder, startFlower } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { REQUEST, smallJob, write } from "./small-job.ts";

const PATIENCE = { timeout: 60_000, interval: 30 };

async function place() {
  const folder = await newFolder();
  const servers = { files: filesystem(folder), gone: { command: "no-such-program" } };
  await writeFile(join(folder, "tools.json"), JSON.stringify({ mcpServers: servers }));
  return folder;
}

test("the worker writes by the tool of an MCP server, judge and clarifier have none of it, and a server that is not there is named", async () => {
  const folder = await place();
  const call = { name: "mcp__files__write_file", args: { path: join(folder, "greeting.txt"), content: "Hello\n" } };
  const server = await serveModel(smallJob({ worker: (view) => (view.news.length > 0 ? { text: "Written." } : { calls: [call] }) }));
  const { code, stdout } = await flower([REQUEST, "--mcp", "tools.json"], { cwd: folder, env: server.env() });
  expect(code, stdout).toBe(0);
  const books = new Books(folder);
  expect(await books.read("greeting.txt")).toBe("Hello\n");
  for (const { role, tools } of server.requests) expect(tools.some((name) => name.startsWith("mcp__files__"))).toBe(role === "worker");
  expect(await books.payloads("task")).toContainEqual(expect.objectContaining({ code: "mcp-failed", data: { server: "gone" } }));
  expect(stdout).toContain("no-such-program");
});

test("what a server wants to know is a question of the run, answered from another terminal; its file's variables are the environment's", async () => {
  const folder = await newFolder();
  await writeFile(join(folder, "tools.json"), JSON.stringify({ mcpServers: { trips: { ...trips, command: "${NODE_OF_MINE}" } } }));
  const replies = [{ calls: [{ name: "mcp__trips__book" }] }, write("greeting.txt", "Hello\n")];
  const server = await serveModel(smallJob({ worker: (view) => replies[view.replies] ?? { text: "Written." } }));
  const options = { cwd: folder, env: { ...server.env(), NODE_OF_MINE: process.execPath } };
  const run = await startFlower([REQUEST, "--mcp", "tools.json", "--timeout", "300"], options);
  const books = new Books(folder);
  for (const [id, words] of [
    ["q1", "Lisboa"],
    ["q2", "2"],
  ] as const) {
    await vi.waitFor(
      async () => expect(await books.payloads("ask")).toContainEqual(expect.objectContaining({ id, state: "asked" })),
      PATIENCE,
    );
    expect((await flower(["answer", id, words], options)).code).toBe(0);
  }
  const { code, stdout } = await run.ended;
  expect(code, stdout).toBe(0);
  expect(server.requests.flatMap((view) => view.results).join("\n")).toContain(
    '{"action":"accept","content":{"city":"Lisboa","nights":2}}',
  );
});

test("a file in the folder starts nothing by itself", async () => {
  const folder = await place();
  await writeFile(
    join(folder, ".mcp.json"),
    JSON.stringify({ mcpServers: { files: { command: "touch", args: [join(folder, "started")] } } }),
  );
  const server = await serveModel(smallJob());
  expect((await flower(["once", "Write the greeting."], { cwd: folder, env: server.env() })).code).toBe(0);
  expect(server.requests[0]?.tools.filter((name) => /^mcp__(?!human)/.test(name))).toEqual([]);
  await expect(new Books(folder).read("started")).rejects.toThrow();
});

test.each([
  ["is not there", undefined, /There is no file missing\.json/],
  ["is no JSON", "{", /must hold an object of servers/],

  ["needs a variable that is not set", '{"mcpServers":{"x":{"command":"${NO_SUCH_THING}"}}}', /"x" needs what is not set.*NO_SUCH_THING/],
  ["names neither program nor service", '{"mcpServers":{"x":{}}}', /"x" needs either a command/],
])("a file that %s is an error before anything is done", async (_what, content, reason) => {
  const folder = await newFolder();
  if (content !== undefined) await writeFile(join(folder, "missing.json"), content);
  const server = await serveModel(smallJob());
  const { code, stderr } = await flower(["once", "x", "--mcp", "missing.json"], { cwd: folder, env: server.env() });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(reason);
  expect(server.requests).toEqual([]);
});
