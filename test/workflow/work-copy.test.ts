import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hashTree } from "../../src/guards/tree-hash.ts";
import { copyWorkspace, type WorkCopyOptions } from "../../src/workflow/work-copy.ts";
import { newFolder } from "../folder.ts";

/** A workspace of its own inside a folder of its own, so that what stands beside it is seen. */
function place(): string {
  const workspace = join(newFolder(), "project");
  mkdirSync(workspace);
  return workspace;
}

async function copyOf(workspace: string, options: WorkCopyOptions = {}) {
  const copy = await copyWorkspace(workspace, options);
  if (typeof copy === "string") throw new Error(copy);
  onTestFinished(() => copy.close());
  return copy;
}

describe("a copy of the workspace", () => {
  it("holds files whose names are not UTF-8, and folders and links with such names", async () => {
    const workspace = place();
    const odd = (name: string) => Buffer.concat([Buffer.from(`${workspace}/caf`), Buffer.from([0xe9]), Buffer.from(name)]);
    writeFileSync(odd(".txt"), "text");
    mkdirSync(odd("-folder"));
    writeFileSync(Buffer.concat([odd("-folder"), Buffer.from("/in")]), "inside");
    symlinkSync(odd(".txt"), join(workspace, "link"));
    symlinkSync("nowhere", odd("-dangling"));
    const { root } = await copyOf(workspace);
    expect(readdirSync(root, { encoding: "latin1" }).sort()).toEqual(["café-dangling", "café-folder", "café.txt", "link"]);
    expect(readdirSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from("-folder")]))).toEqual(["in"]);
    expect((await hashTree(workspace)).size).toBeGreaterThan(0);
  });

  it("holds everything: ignored, hidden, executable files, with their times", async () => {
    const workspace = place();
    mkdirSync(join(workspace, "a/b"), { recursive: true });
    writeFileSync(join(workspace, ".gitignore"), "built\n");
    writeFileSync(join(workspace, "built"), "x");
    writeFileSync(join(workspace, "a/b/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    const { root } = await copyOf(workspace);
    expect(readFileSync(join(root, "built"), "utf8")).toBe("x");
    const [was, is] = [join(workspace, "a/b/run.sh"), join(root, "a/b/run.sh")].map((path) => statSync(path));
    expect(is?.mode).toBe(was?.mode);
    expect(Math.round(is?.mtimeMs ?? 0)).toBe(Math.round(was?.mtimeMs ?? -1));
  });

  it("changes nothing in the original, whatever is done in it", async () => {
    const workspace = place();
    writeFileSync(join(workspace, "a.txt"), "original");
    const { root } = await copyOf(workspace);
    writeFileSync(join(root, "a.txt"), "repaired");
    writeFileSync(join(root, "new.txt"), "x");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("original");
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
  });

  it("has no link back: links into the tree lead into the copy, others where they led", async () => {
    const workspace = place();
    mkdirSync(join(workspace, "sub"));
    writeFileSync(join(workspace, "a.txt"), "x");
    writeFileSync(join(dirname(workspace), "beside.txt"), "y");
    symlinkSync(join(workspace, "a.txt"), join(workspace, "sub/absolute"));
    symlinkSync("../a.txt", join(workspace, "sub/relative"));
    symlinkSync("../beside.txt", join(workspace, "out"));
    symlinkSync("/nowhere/at/all", join(workspace, "broken"));
    symlinkSync(workspace, join(workspace, "self"));
    const { root } = await copyOf(workspace);
    expect(realpathSync(join(root, "sub/absolute"))).toBe(join(root, "a.txt"));
    expect(realpathSync(join(root, "sub/relative"))).toBe(join(root, "a.txt"));
    expect(realpathSync(join(root, "self"))).toBe(root);
    expect(readFileSync(join(root, "out"), "utf8")).toBe("y");
    expect(readlinkSync(join(root, "broken"))).toBe("/nowhere/at/all");
  });

  it("leaves out the books, and pipes that would wait for ever", async () => {
    const workspace = place();
    mkdirSync(join(workspace, "runs"));
    writeFileSync(join(workspace, "runs/manifest.json"), "[]");
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    const { root } = await copyOf(workspace, { exclude: [join(workspace, "runs")] });
    expect(readdirSync(root)).toEqual([]);
  });

  it("keeps a repository that git can work with", async () => {
    const workspace = place();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace, stdio: "pipe" }).toString();
    git("init", "-q");
    writeFileSync(join(workspace, "a.txt"), "1");
    git("add", ".");
    git("commit", "-qm", "x");
    writeFileSync(join(workspace, "a.txt"), "2");
    const { root } = await copyOf(workspace);
    expect(execFileSync("git", ["status", "--short"], { cwd: root }).toString()).toBe(" M a.txt\n");
    expect(execFileSync("git", ["rev-parse", "--show-toplevel"], { cwd: root }).toString().trim()).toBe(root);
  });

  it("is gone when it is closed", async () => {
    const workspace = place();
    const copy = await copyOf(workspace);
    await copy.close();
    expect(existsSync(copy.root)).toBe(false);
    expect(readdirSync(dirname(workspace))).toEqual(["project"]);
  });

  it("takes away what killed processes left beside the workspace, and nothing else", async () => {
    const workspace = place();
    const dead = spawnSync("true").pid;
    for (const name of [`.flower-copy-${dead}-a`, `.flower-copy-${process.pid}-b`, ".flower-copy-c", "other"])
      mkdirSync(join(dirname(workspace), name));
    const copy = await copyOf(workspace);
    await copy.close();
    expect(readdirSync(dirname(workspace)).sort()).toEqual([`.flower-copy-${process.pid}-b`, ".flower-copy-c", "other", "project"]);
  });

  it("is not made of a tree that is too large, and nothing is left behind", async () => {
    const workspace = place();
    writeFileSync(join(workspace, "big"), Buffer.alloc(2_000_000));
    expect(await copyWorkspace(workspace, { maxBytes: 1_000_000 })).toBe("the workspace is larger than 1 MB");
    expect(readdirSync(dirname(workspace))).toEqual(["project"]);
  });

  it("is not made of the home folder", async () => {
    expect(await copyWorkspace(homedir())).toContain("home folder");
    expect(await copyWorkspace("/")).toContain("home folder");
  });

  it("an abort ends it, and nothing is left behind", async () => {
    const workspace = place();
    writeFileSync(join(workspace, "a"), "x");
    await expect(copyWorkspace(workspace, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect(readdirSync(dirname(workspace))).toEqual(["project"]);
  });
});
