import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { diffTree, hashTree } from "../../src/guards/tree-hash.ts";
import { temporaryFolder } from "../tools/tool-bench.ts";

async function tree(): Promise<{ root: string; put(path: string, content: string | Buffer): Promise<void> }> {
  const root = await temporaryFolder();
  const put = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await put("a.txt", "a");
  await put("src/b.txt", "b");
  await put("src/c.txt", "c");
  return { root, put };
}

test("an unchanged tree has no difference, and its paths are sorted", async () => {
  const { root } = await tree();
  const before = await hashTree(root);
  expect([...before.keys()]).toEqual(["a.txt", "src/b.txt", "src/c.txt"]);
  expect(diffTree(before, await hashTree(root))).toEqual({ added: [], removed: [], changed: [] });
});

test("added, removed and changed files are told apart, a changed mode and a link's new target included", async () => {
  const { root, put } = await tree();
  await symlink("a.txt", join(root, "link"));
  const before = await hashTree(root);
  await put("new/d", "");
  await rm(join(root, "src/b.txt"));
  await put("src/c.txt", "C");
  await chmod(join(root, "a.txt"), 0o755);
  await rm(join(root, "link"));
  await symlink("src/c.txt", join(root, "link"));
  expect(diffTree(before, await hashTree(root))).toEqual({
    added: ["new/d"],
    removed: ["src/b.txt"],
    changed: ["a.txt", "link", "src/c.txt"],
  });
});

test("a file that becomes a link to the same content has changed", async () => {
  const { root } = await tree();
  const before = await hashTree(root);
  await rm(join(root, "a.txt"));
  await symlink("src/b.txt", join(root, "a.txt"));
  expect(diffTree(before, await hashTree(root)).changed).toEqual(["a.txt"]);
});

test("what is not the work's is left out: by default, by name and by path", async () => {
  const { root, put } = await tree();
  for (const path of [".git/x", ".flower/x", "sub/node_modules/x", "runs/x", "sub/runs/x", "build/x", "sub/build/x"]) await put(path, "x");
  const exclude = [join(root, "runs"), "build"];
  expect([...(await hashTree(root, { exclude })).keys()]).toEqual(["a.txt", "src/b.txt", "src/c.txt", "sub/runs/x"]);
});

test("a root reached by a link gives the same tree, and its exclusions hold", async () => {
  const { root, put } = await tree();
  await put("runs/x", "x");
  const alias = join(await temporaryFolder(), "alias");
  await symlink(root, alias);
  const exclude = [join(alias, "runs")];
  expect([...(await hashTree(alias, { exclude })).keys()]).toEqual([...(await hashTree(root, { exclude: ["./runs"] })).keys()]);
});

test("links are not followed, loops do no harm, pipes are skipped", async () => {
  const { root } = await tree();
  await symlink("..", join(root, "src/up"));
  await symlink("nowhere", join(root, "broken"));
  execFileSync("bash", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
  const found = await hashTree(root);
  expect([...found.keys()]).toEqual(["a.txt", "broken", "src/b.txt", "src/c.txt", "src/up"]);
  expect(found.get("broken")?.kind).toBe("link");
});

test("a large file's hash is its content's", async () => {
  const { root, put } = await tree();
  await put("large", Buffer.alloc(3_000_000, "x"));
  const sum = createHash("sha256").update("x".repeat(3_000_000)).digest("hex");
  expect((await hashTree(root)).get("large")).toMatchObject({ hash: sum, size: 3_000_000 });
});

test("an abort ends the walk", async () => {
  const { root } = await tree();
  await expect(hashTree(root, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
