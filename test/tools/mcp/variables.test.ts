// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables, as they stand in files
import { expect, test } from "vitest";
import { resultText } from "../../../src/messages/message.ts";
import { readMcpServers } from "../../../src/tools/mcp/server-options.ts";
import { connect } from "./servers.ts";

const read = (server: object, variables?: Record<string, string | undefined>) =>
  readMcpServers({ mcpServers: { it: server } }, "tools.json", variables)["it"];

test.each([
  { of: "command", server: { command: "${BIN}/serve" }, becomes: { command: "/opt/serve" } },
  { of: "args", server: { command: "x", args: ["--at", "${BIN}:${PORT:-80}"] }, becomes: { command: "x", args: ["--at", "/opt:80"] } },
  { of: "env", server: { command: "x", env: { TOKEN: "${KEY}", PLAIN: "p" } }, becomes: { command: "x", env: { TOKEN: "k", PLAIN: "p" } } },
  { of: "url", server: { url: "http://${HOST:-localhost}:8080/mcp" }, becomes: { url: "http://localhost:8080/mcp" } },
  {
    of: "headers",
    server: { url: "http://a", headers: { authorization: "Bearer ${KEY}" } },
    becomes: { url: "http://a", headers: { authorization: "Bearer k" } },
  },
])("a variable stands for its value in $of", ({ server, becomes }) => {
  expect(read(server, { BIN: "/opt", KEY: "k" })).toEqual(becomes);
});

test.each([
  ["${A}", "one"],
  ["${A:-two}", "one"],
  ["${NONE:-two}", "two"],
  ["${NONE:-}", ""],
  ["${NONE:-a:-b}", "a:-b"],
  ["${EMPTY:-two}", ""],
  ["${A}${A}", "oneone"],
  ["$A", "$A"],
  ["${}", "${}"],
  ["${A B}", "${A B}"],
  ["${DOLLAR}", "$&${A}"],
])("%j becomes %j", (text, value) => {
  expect(read({ command: "x", args: [text] }, { A: "one", EMPTY: "", DOLLAR: "$&${A}" })).toMatchObject({ args: [value] });
});

test("a variable with neither value nor default is an error that names server and variable, never a value", () => {
  const server = { command: "x", env: { A: "${SECRET}", TOKEN: "${ISSUES_TOKEN}", OTHER: "${GONE}" } };
  const says =
    'tools.json: the MCP server "it" needs what is not set in the environment: ISSUES_TOKEN, GONE. Set it, or write a default: ${ISSUES_TOKEN:-…}.';
  expect(() => read(server, { SECRET: "s3cret" })).toThrow(expect.objectContaining({ code: "bad-config", message: says }));
});

test("what a variable makes of a server is checked like what is written", () => {
  expect(() => read({ url: "${WHERE}" }, { WHERE: "ftp://x" })).toThrow('"it" has a url that is no http address');
});

test("without variables texts are taken as they stand, and cwd always is", () => {
  const server = { command: "${A}", cwd: "${A}" };
  expect(read(server)).toEqual(server);
  expect(read(server, { A: "one" })).toEqual({ command: "one", cwd: "${A}" });
});

/** The protocol by hand: its one tool tells what the program was started with. */
const TELLS = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
  else if (method === "tools/list") answer({ tools: [{ name: "tell", inputSchema: { type: "object" } }] });
  else answer({ content: [{ type: "text", text: process.argv.slice(1).join() + " " + process.env.TOKEN } ] });
});`;

test("a program is started with the values", async () => {
  const file = { mcpServers: { it: { command: "${NODE}", args: ["-e", TELLS, "${MODE:-quiet}"], env: { TOKEN: "${KEY}" } } } };
  const { call } = await connect(readMcpServers(file, "tools.json", { NODE: process.execPath, KEY: "k-1" }));
  expect(resultText((await call("mcp__it__tell", {})).content)).toBe("quiet k-1");
});
