import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesystem } from "../tools/mcp/servers.ts";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { serveModel } from "./model-server.ts";
import { REQUEST, smallJob } from "./small-job.ts";

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
