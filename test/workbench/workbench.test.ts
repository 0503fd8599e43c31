import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../../src/i18n/catalogue.ts";
import { toFileName } from "../../src/workbench/file-name.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { newFolder } from "./folder.ts";

/** Files made one second after another, so that "newer" has a meaning. */
function put(folder: string, name: string, content: string, second: number): void {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, second, second);
}

test("ensure makes the folders and keeps them out of git; it chains, and doing it again changes nothing", () => {
  const workspace = newFolder();
  const bench = new Workbench(workspace).ensure();
  writeFileSync(join(bench.root, ".gitignore"), "mine\n");
  bench.ensure();
  expect(bench.root).toBe(join(workspace, ".flower"));
  expect(readdirSync(bench.root).sort()).toEqual([".gitignore", "artifacts", "notes", "scripts", "spill"]);
  expect(readFileSync(join(bench.root, ".gitignore"), "utf8")).toBe("mine\n");
  expect(readFileSync(join(new Workbench(newFolder()).ensure().root, ".gitignore"), "utf8")).toBe("*\n");
});

test("documents are named by language", () => {
  const bench = new Workbench(newFolder(), { language: "zh" });
  expect([bench.briefPath(), bench.goalPath(), bench.questionsPath(), bench.handoffPath("干活")].map((path) => basename(path))).toEqual([
    "需求.md",
    "目标.md",
    "问答记录.md",
    "交接-干活.md",
  ]);
  expect(bench.briefPath("en")).toBe(join(bench.notes, "brief.md"));
});

test("a step's name makes a file name, whatever it is, and two names make two", () => {
  const bench = new Workbench(newFolder());
  expect(bench.handoffPath("../../etc/passwd")).toMatch(/notes\/handoff-[^/]+\.md$/);
  const names = ["a/b", "a-b", "a:b", "", ".", "..", "a ", "x".repeat(300), "x".repeat(301), "漢".repeat(200)].map(toFileName);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(Buffer.byteLength(`handoff-${name}.md`)).toBeLessThan(255);
  expect(toFileName("干活")).toBe("干活");
});

describe("the index", () => {
  test("names files newest first with description and size; archive, spill and itself are left out", async () => {
    const bench = new Workbench(newFolder()).ensure();
    put(bench.root, "scripts/run.sh", "#!/bin/sh\n# desc: runs it all\n", 1);
    put(bench.root, "scripts/a.ts", "// desc: converts\n", 2);
    put(bench.root, "artifacts/big.log", "x".repeat(1_500), 3);
    put(bench.root, "notes/page.html", "<!-- desc: a page -->", 4);
    put(bench.root, "notes/archive/old/brief.md", "x", 5);
    put(bench.root, "spill/s.txt", "x", 6);
    expect(await bench.refresh()).toBe(true);
    expect(readFileSync(bench.indexPath, "utf8")).toBe(
      "# INDEX\n\n- .flower/notes/page.html — a page (21 B)\n- .flower/artifacts/big.log (1.5 kB)\n" +
        "- .flower/scripts/a.ts — converts (18 B)\n- .flower/scripts/run.sh — runs it all (30 B)\n",
    );
    expect(await bench.refresh()).toBe(false);
  });

  test("stops at the newest, and says how many are older", async () => {
    const bench = new Workbench(newFolder(), { maxIndexEntries: 2 }).ensure();
    for (let second = 1; second <= 5; second++) put(bench.notes, `n${second}.md`, "", second);
    expect((await bench.promptBlock()).split("\n").slice(-3)).toEqual([
      "- .flower/notes/n5.md (0 B)",
      "- .flower/notes/n4.md (0 B)",
      "- (and 3 older files)",
    ]);
  });

  test("is absolute for a workbench outside the workspace, and works before anything exists", async () => {
    const home = join(newFolder(), "bench");
    const bench = new Workbench(newFolder(), { home });
    expect(await bench.promptBlock()).toContain("nothing yet");
    await bench.ensure().write("notes/a.md", "x");
    expect(await bench.promptBlock()).toContain(`- ${home}/notes/a.md (1 B)`);
  });

  test("a file name cannot write lines of its own, and links are not followed", async () => {
    const bench = new Workbench(newFolder()).ensure();
    put(bench.notes, "a\n- b.md", "", 1);
    symlinkSync("/etc", join(bench.notes, "etc"));
    expect((await bench.promptBlock()).split("\n").at(-1)).toBe('- ".flower/notes/a\\n- b.md" (0 B)');
  });
});

describe("nothing written through it leaves its root", () => {
  test.each(["../x", "/etc/flower-x", "notes/../../x", "out/x", "out", "dangling", "dangling/x"])("%s", async (path) => {
    const bench = new Workbench(newFolder()).ensure();
    const outside = newFolder();
    symlinkSync(outside, join(bench.root, "out"));
    symlinkSync(join(outside, "none"), join(bench.root, "dangling"));
    await expect(bench.write(path, "x")).rejects.toMatchObject({ code: "bad-input" });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a link inside it is followed", async () => {
    const bench = new Workbench(newFolder()).ensure();
    symlinkSync(bench.artifacts, join(bench.notes, "in"));
    expect(await bench.write("notes/in/a/b.md", "x")).toBe(join(bench.artifacts, "a/b.md"));
  });

  test("a workbench that is a link out of the workspace is refused, unless its place is given outright", () => {
    const workspace = newFolder();
    const outside = newFolder();
    symlinkSync(outside, join(workspace, ".flower"));
    expect(() => new Workbench(workspace)).toThrow("leads out of the workspace");
    expect(() => new Workbench(workspace, { home: ".." })).toThrow("leads out of the workspace");
    expect(() => new Workbench(workspace, { home: "." })).toThrow("leads out of the workspace");
    expect(new Workbench(workspace, { home: outside }).root).toBe(outside);
  });

  test("a folder that was replaced by a link out is not used", async () => {
    const bench = new Workbench(newFolder());
    const outside = newFolder();
    mkdirSync(bench.root);
    symlinkSync(outside, bench.notes);
    expect(() => bench.ensure()).toThrow("leads out of");
    writeFileSync(join(outside, "brief.md"), "x");
    await expect(bench.archive(0)).rejects.toMatchObject({ code: "bad-input" });
    expect(readdirSync(outside)).toEqual(["brief.md"]);
  });
});

describe("the archive", () => {
  test("takes brief, goal and handoffs in every language, and nothing else", async () => {
    const bench = new Workbench(newFolder()).ensure();
    const moved = LANGUAGES.flatMap((language) => [
      bench.briefPath(language),
      bench.goalPath(language),
      bench.handoffPath("work", language),
    ]);
    const kept = [bench.questionsPath(), join(bench.notes, "decision.md")];
    for (const path of [...moved, ...kept]) writeFileSync(path, path);
    const folder = (await bench.archive(Date.UTC(2026, 6, 31, 10))) as string;
    expect(folder).toBe(join(bench.notes, "archive", "2026-07-31T100000.000Z"));
    expect(readdirSync(folder).sort()).toEqual(moved.map((path) => basename(path)).sort());
    expect(kept.every((path) => existsSync(path))).toBe(true);
    expect(await bench.archive(0)).toBeUndefined();
  });

  test("overwrites nothing: two documents of one name and instant are both kept", async () => {
    const bench = new Workbench(newFolder()).ensure();
    const path = bench.handoffPath("work");
    for (const text of ["one", "two", "three"]) {
      writeFileSync(path, text);
      await bench.retire(path, 0);
    }
    expect(await bench.retire(path, 0)).toBeUndefined();
    expect(readdirSync(bench.archiveFolder(0)).sort()).toEqual(["handoff-work-2.md", "handoff-work-3.md", "handoff-work.md"]);
    expect(readFileSync(join(bench.archiveFolder(0), "handoff-work-3.md"), "utf8")).toBe("three");
  });
});
