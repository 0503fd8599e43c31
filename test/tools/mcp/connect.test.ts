import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resultText } from "../../../src/messages/message.ts";
import { readMcpServers } from "../../../src/tools/mcp/server-options.ts";
import { newFolder } from "../../folder.ts";
import { connect, everything, everythingOverHttp, filesystem } from "./servers.ts";

const SLOW_MS = 60_000;

describe("MCP servers", { timeout: SLOW_MS }, () => {
  it("that fail take nothing from those that work, and say why", async () => {
    const folder = newFolder();
    const { names, failures } = await connect({
      gone: { command: "/nowhere/server" },
      files: filesystem(folder),
      broken: { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] },
      silent: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], connectTimeoutMs: 200 },
    });
    expect(names).toContain("mcp__files__write_file");
    expect(failures.map(({ server }) => server).sort()).toEqual(["broken", "gone", "silent"]);
    expect(failures.find(({ server }) => server === "broken")?.error.message).toContain("no licence");
  });

  it("do their work: a file that is written through one is there", async () => {
    const folder = newFolder();
    const { call } = await connect({ files: filesystem(folder) });
    const path = join(folder, "a.txt");
    expect(await call("mcp__files__write_file", { path, content: "words" })).toMatchObject({ isError: false });
    expect(readFileSync(path, "utf8")).toBe("words");
    expect(resultText((await call("mcp__files__read_text_file", { path })).content)).toContain("words");
  });

  it("say in their result what went wrong, as an error", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "a.txt"), "");
    const { call } = await connect({ files: filesystem(folder) });
    expect(await call("mcp__files__read_text_file", { path: "/etc/passwd" })).toMatchObject({ isError: true });
    expect(await call("mcp__files__read_text_file", {})).toMatchObject({ isError: true });
  });

  it("tell which tools only read: those may run side by side and again after a crash", async () => {
    const { tools } = await connect({ files: filesystem(newFolder()) });
    const flags = (name: string) => {
      const found = tools.find((tool) => tool.name === `mcp__files__${name}`);
      return { parallel: found?.parallel, idempotent: found?.idempotent };
    };
    expect(flags("read_text_file")).toEqual({ parallel: true, idempotent: true });
    expect(flags("edit_file")).toEqual({ parallel: false, idempotent: false });
  });

  it("give text, images, data and resources", async () => {
    const { call } = await connect({ all: everything });
    const image = await call("mcp__all__get-tiny-image", {});
    expect(image.content.map(({ type }) => type)).toContain("image");
    expect(resultText((await call("mcp__all__get-sum", { a: 2, b: 3 })).content)).toContain("5");
    expect(resultText((await call("mcp__all__get-structured-content", { location: "New York" })).content)).toContain("temperature");
    expect(resultText((await call("mcp__all__get-resource-reference", { resourceType: "Text", resourceId: 1 })).content)).toContain(
      "[resource ",
    );
    expect(resultText((await call("mcp__all__get-resource-links", { count: 2 })).content)).toContain("[resource ");
  });

  it("do not inherit this process's secrets", async () => {
    process.env["FLOWER_TEST_API_KEY"] = "secret-value";
    try {
      const { call } = await connect({ all: everything });
      const text = resultText((await call("mcp__all__get-env", {})).content);
      expect(text).toContain("PATH");
      expect(text).not.toContain("secret-value");
    } finally {
      delete process.env["FLOWER_TEST_API_KEY"];
    }
  });

  it("that are slow are given up after their time, and can be called again", async () => {
    const { call } = await connect({ all: { ...everything, timeoutMs: 5_000 } });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 300);
    const long = call("mcp__all__trigger-long-running-operation", { duration: 30, steps: 2 }, { signal: abort.signal });
    await expect(long).rejects.toThrow("enough");
    expect(await call("mcp__all__echo", { message: "still there" })).toMatchObject({ isError: false });
  });

  it("that have died are connected anew with the next call", async () => {
    const { call } = await connect({
      all: { command: process.execPath, args: ["-e", DIES_AFTER_ONE_CALL] },
    });
    expect(resultText((await call("mcp__all__pid", {})).content)).toMatch(/^\d+$/);
    const first = await call("mcp__all__die", {});
    expect(first.isError).toBe(true);
    expect(resultText((await call("mcp__all__pid", {})).content)).toMatch(/^\d+$/);
  });

  it("are reached over streamable HTTP too", async () => {
    const { call, failures } = await connect({ web: await everythingOverHttp() });
    expect(failures).toEqual([]);
    expect(resultText((await call("mcp__web__echo", { message: "over the wire" })).content)).toContain("over the wire");
  });

  it("whose tools have names that providers refuse get names that they take, each its own", async () => {
    const { names } = await connect({ "my server.with a very long name that goes on and on and on": everything });
    expect(names.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
  });
});

/** The protocol by hand, in a few lines: what the reference servers do not do is end in the middle of a call. */
const DIES_AFTER_ONE_CALL = `
const tools = ["pid", "die"].map((name) => ({ name, inputSchema: { type: "object" } }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
  else if (method === "tools/list") answer({ tools });
  else if (params.name === "die") process.exit(1);
  else answer({ content: [{ type: "text", text: String(process.pid) }] });
});`;

describe("what a server wants to know", { timeout: SLOW_MS }, () => {
  it("is asked of the person, field by field", async () => {
    const asked: string[] = [];
    const answers: Record<string, string> = { name: "Ana", check: "true" };
    const { call } = await connect(
      { all: everything },
      {
        ask: async (question, options) => {
          asked.push(question);
          const key = Object.keys(answers).find((one) => question.toLowerCase().includes(`\n${one}`));
          return { answer: key === undefined ? (options[0] ?? "x@example.com") : (answers[key] ?? "") };
        },
      },
    );
    await call("mcp__all__trigger-elicitation-request", {});
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[0]).toMatch(/^all: /);
  });

  it("stays unanswered when nobody is there: nothing is made up", async () => {
    const { call } = await connect({ all: everything }, { ask: async () => "nobody" });
    expect(resultText((await call("mcp__all__trigger-elicitation-request", {})).content)).toMatch(/cancel/i);
  });
});

describe("a list of servers", () => {
  it("may stand under mcpServers, as other programs write it", () => {
    expect(readMcpServers({ mcpServers: { a: { command: "x" } } }, "f.json")).toEqual({ a: { command: "x" } });
  });

  it.each([
    { data: { a: {} }, says: /"a" needs either a command .* or a url/ },
    { data: { a: { command: "x", url: "http://x" } }, says: /either/ },
    { data: { a: { url: "ftp://x" } }, says: /no http address/ },
    { data: { a: { command: "x", args: "y" } }, says: /args/ },
    { data: { a: { command: "x", env: { A: 1 } } }, says: /env/ },
    { data: { a: { command: "x", timeout: 1 } }, says: /unknown option "timeout"/ },
    { data: "x", says: /must hold an object/ },
  ])("with a fault is refused by name: $says", ({ data, says }) => {
    expect(() => readMcpServers(data, "f.json")).toThrow(says);
  });
});
