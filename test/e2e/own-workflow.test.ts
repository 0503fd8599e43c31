import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { serveModel } from "./model-server.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/two-steps.ts", import.meta.url));

/** A folder with files of a person's own, and none of ours. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("a workflow of one's own runs from a TypeScript file without a build, a key, or a copy of flower beside it", async () => {
  const folder = await newFolder();
  await copyFile(EXAMPLE, join(folder, "two-steps.ts"));
  const { code, stdout, stderr } = await flower(["run", "two-steps.ts", "A", "page", "about", "chairs"], { cwd: folder });
  expect(code, stdout + stderr).toBe(0);
  const books = new Books(folder);
  expect(await books.read("page.md")).toBe("# Seats\n\n# Legs\n");
  expect(await books.labels()).toEqual(["outline", "page"]);
  expect((await books.payloads("prompt")).length).toBeGreaterThan(0);
  expect(await books.log()).toContain("A page about chairs");
  const again = await flower(["run", "two-steps.ts", "--json"], { cwd: folder });
  expect(again.code).toBe(0);
  expect(again.stdout).toBe(await books.log());
  expect((await books.payloads("step")).map((step) => step.skipped)).toEqual([true, true]);
});

const TWO = `
import { Agent, Step, Workflow } from "flower-agents";
const agent = new Agent({ name: "worker" });
const make = (name) => new Workflow([new Step(name, { agent, prompt: "Say it." })], { name });
export const first = make("first");
export const second = ({ workspace, language }) => make("second-" + language + (workspace === process.cwd()));
export const number = 7;
export const breaks = () => { throw new Error("no\\n  luck"); };
export const gives = () => 7;
`;

test.each([
  ["a workflow", "first", "first"],
  ["a function that is told workspace and language", "second", "second-pttrue"],
])("%s is picked by the export's name; its agents speak with the environment's model", async (_what, name, workflow) => {
  const server = await serveModel(() => ({ text: "It." }));
  const folder = await folderWith({ "flows.ts": TWO });
  const { code, stdout, stderr } = await flower(["run", `flows.ts:${name}`, "--lang", "pt"], { cwd: folder, env: server.env() });
  expect(code, stdout + stderr).toBe(0);
  const { workflows } = JSON.parse(await new Books(folder).read("runs/lineage.json")) as { workflows: object };
  expect(Object.keys(workflows)).toEqual([workflow]);
});

const OWN_CHANNEL = `
import { Agent, HumanChannel, Step, Workflow } from "flower-agents";
const step = new Step("a", { agent: new Agent({ name: "worker" }), prompt: "Say it." });
export default new Workflow([step], { channel: new HumanChannel({ timeoutMs: 0 }) });
`;

test.each<[string, Record<string, string>, readonly string[], number, RegExp]>([
  ["no such file", {}, ["none.ts"], 2, /There is no file .*none\.ts\.$/],
  ["no such export", { "flows.ts": TWO }, ["flows.ts:third"], 2, /does not export "third"\. It exports: .*first/],
  ["several exports and no name", { "flows.ts": TWO }, ["flows.ts"], 2, /several exports .*flows\.ts:NAME\.$/],
  ["an export that is no workflow", { "flows.ts": TWO }, ["flows.ts:number"], 2, /must export a workflow/],
  ["a function that throws", { "flows.ts": TWO }, ["flows.ts:breaks"], 2, /could not be loaded: no luck$/],
  ["a function that gives no workflow", { "flows.ts": TWO }, ["flows.ts:gives"], 2, /must export a workflow/],
  ["a file that throws", { "bad.ts": "throw new Error('a\\nb');\nexport {};" }, ["bad.ts"], 2, /bad\.ts could not be loaded: a b$/],
  ["a file that is no TypeScript", { "bad.ts": "export const = 1;" }, ["bad.ts"], 2, /bad\.ts could not be loaded: /],
  ["a file without exports", { "bad.ts": "console.error;\nexport {};" }, ["bad.ts"], 2, /bad\.ts exports nothing/],
  ["an option without effect", { "own.ts": OWN_CHANNEL }, ["own.ts", "--asks", "2"], 2, /--asks has no effect/],
  ["another one", { "own.ts": OWN_CHANNEL }, ["own.ts", "--park"], 2, /--park has no effect/],
  ["an option of the whole chain", { "flows.ts": TWO }, ["flows.ts:first", "--rounds", "2"], 2, /--rounds|unknown option/],
  ["nothing at all", {}, [], 2, /missing required argument 'file'/],
])("%s: one clear line, and nothing is written", async (_what, files, args, code, line) => {
  const folder = await folderWith(files);
  const ended = await flower(["run", ...args], { cwd: folder });
  expect(ended.code).toBe(code);
  const said = ended.stderr.trimEnd().split("\n");
  expect(said[0]).toMatch(line);
  if (!/argument|option/.test(said[0] ?? "")) expect(said).toHaveLength(1);
  expect(await new Books(folder).runs()).toEqual([]);
});

test("without a provider an agent that needs one fails the run, and says what to do", async () => {
  const folder = await folderWith({ "flows.ts": TWO });
  const { code, stdout } = await flower(["run", "flows.ts:first"], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toMatch(/FLOWER_MODEL|API_KEY/);
});
