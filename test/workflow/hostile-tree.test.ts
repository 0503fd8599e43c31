import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { diffTree, hashTree } from "../../src/guards/tree-hash.ts";
import { copyWorkspace } from "../../src/workflow/work-copy.ts";
import { newFolder } from "../folder.ts";

const LATIN = Buffer.from("caf\xe9.txt", "latin1");
const at = (folder: string, name = LATIN) => Buffer.concat([Buffer.from(`${folder}/`), name]);
const shell = (cwd: string, script: string) => execFileSync("bash", ["-c", script], { cwd });

function place(): string {
  const workspace = join(newFolder(), "project");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "kept.txt"), "kept");
  return workspace;
}

async function copyOf(workspace: string): Promise<string> {
  const copy = await copyWorkspace(workspace);
  if (typeof copy === "string") throw new Error(copy);
  onTestFinished(() => copy.close());
  return copy.root;
}

/** What the script makes, and what of it the copy and the comparison hold beside `kept.txt`. */
const TREES: readonly (readonly [what: string, script: string, copied: readonly string[], hashed: readonly string[]])[] = [
  ["a file name that is no text", "touch $'caf\\xe9.txt'", ["caf\xe9.txt"], ["$'caf\\xe9.txt'"]],
  ["a folder name that is no text", "mkdir $'\\xff' && touch $'\\xff/a'", ["\xff"], ["$'\\xff/a'"]],
  ["a link whose target is no text", "ln -s $'\\xff' link", ["link"], ["link"]],
  ["names with line breaks and quotes", "touch $'a\\nb' \"c'd\"", ["a\nb", "c'd"], ["a\nb", "c'd"]],
  ["a pipe", "mkfifo pipe", [], []],
  [
    "a socket",
    `node -e 'require("net").createServer().listen("socket", () => process.kill(process.pid, "SIGKILL"))'; test -S socket`,
    [],
    [],
  ],
  ["a link that leads nowhere", "ln -s nowhere link", ["link"], ["link"]],
  ["links in a circle", "ln -s b a; ln -s a b; ln -s . here", ["a", "b", "here"], ["a", "b", "here"]],
  [
    "a folder below which paths are too long",
    'for i in {1..25}; do d=$(printf "x%.0s" {1..200}); mkdir $d; cd $d; done; touch deep',
    ["x".repeat(200)],
    [],
  ],
];

test.each(TREES)("%s keeps no workspace from being copied and compared", async (_what, script, copied, hashed) => {
  const workspace = place();
  onTestFinished(() => void shell(workspace, "rm -rf ./*"));
  shell(workspace, script);
  const root = await copyOf(workspace);
  expect(readdirSync(root, "latin1").sort()).toEqual([...copied, "kept.txt"].sort());
  expect([...(await hashTree(workspace)).keys()]).toEqual([...hashed, "kept.txt"].sort());
});

test("a file whose name is no text has its content in the copy, and a change of it is seen", async () => {
  const workspace = place();
  writeFileSync(at(workspace), "one");
  const before = await hashTree(workspace);
  expect(readFileSync(at(await copyOf(workspace)), "utf8")).toBe("one");
  writeFileSync(at(workspace), "two");
  writeFileSync(at(workspace, Buffer.from([0xe8])), "");
  const { added, changed } = diffTree(before, await hashTree(workspace));
  expect({ added, changed }).toEqual({ added: ["$'\\xe8'"], changed: ["$'caf\\xe9.txt'"] });
});

test("no link leads back, whatever bytes it is made of", async () => {
  const workspace = place();
  writeFileSync(at(workspace), "one");
  shell(workspace, `ln -s "$PWD"/$'caf\\xe9.txt' link`);
  const root = await copyOf(workspace);
  writeFileSync(join(root, "link"), "two");
  expect(readFileSync(at(workspace), "utf8")).toBe("one");
  expect(readFileSync(at(root), "utf8")).toBe("two");
});

test("files that come and go meanwhile are passed over", async () => {
  const workspace = place();
  let isOver = false;
  const churn = async () => {
    while (!isOver) {
      for (let i = 0; i < 40; i++) writeFileSync(join(workspace, `${i}`), "x");
      await new Promise((next) => setImmediate(next));
      for (let i = 0; i < 40; i++) rmSync(join(workspace, `${i}`), { force: true });
      await new Promise((next) => setImmediate(next));
    }
  };
  const churning = churn();
  try {
    for (let i = 0; i < 10; i++) {
      const root = await copyOf(workspace);
      expect(readFileSync(join(root, "kept.txt"), "utf8")).toBe("kept");
      expect((await hashTree(workspace)).has("kept.txt")).toBe(true);
    }
  } finally {
    isOver = true;
    await churning;
  }
});
