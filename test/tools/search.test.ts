import { symlink, utimes } from "node:fs/promises";
import { expect, test } from "vitest";
import { type ToolBench, toolBench } from "./tool-bench.ts";

async function project(): Promise<ToolBench> {
  const bench = await toolBench();
  await bench.put(".gitignore", "node_modules/\n*.log\n");
  await bench.put("src/a.ts", "const Alpha = 1;\nfoo(\n  bar\n)\n");
  await bench.put("src/deep/b.tsx", "alpha\nalpha alpha\n");
  await bench.put("top.ts", "x-y\n--flag\n");
  await bench.put("debug.log", "alpha\n");
  await bench.put("src/debug.log", "alpha\n");
  await bench.put("node_modules/m/index.ts", "alpha\n");
  await bench.put(".git/config", "alpha\n");
  await bench.put(".hidden/c.md", "alpha\n");
  const order = [".gitignore", "src/a.ts", "src/deep/b.tsx", "top.ts", ".hidden/c.md"];
  for (const [age, path] of order.entries()) await utimes(bench.at(path), 1_000 + age, 1_000 + age);
  return bench;
}

const sorted = (text: string) => text.split("\n").sort();

test.each([
  ["*.ts", undefined, ["src/a.ts", "top.ts"]],
  ["**/*.{ts,tsx}", undefined, ["src/a.ts", "src/deep/b.tsx", "top.ts"]],
  ["src/**/*.tsx", undefined, ["src/deep/b.tsx"]],
  ["./*", undefined, [".gitignore", "top.ts"]],
  ["**/*.tsx", "src", ["src/deep/b.tsx"]],
  ["*.md", undefined, [".hidden/c.md"]],
  ["{workspace}/src/*.ts", undefined, ["src/a.ts"]],
  ["src/../*.ts", undefined, ["top.ts"]],
])("Glob %s in %s finds exactly the files that are not ignored", async (pattern, path, expected) => {
  const bench = await project();
  const text = await bench.text("Glob", { pattern: pattern.replace("{workspace}", bench.workspace), ...(path ? { path } : {}) });
  expect(sorted(text)).toEqual(expected);
});

test.each(["**/*.log", "*.log", "node_modules/**", "**/node_modules/**/*.ts", ".git/**", "nothing*"])(
  "Glob %s finds nothing",
  async (pattern) => {
    const bench = await project();
    expect(await bench.text("Glob", { pattern })).toContain("No files match");
  },
);

test("Glob lists the newest first and says when it is cut", async () => {
  const bench = await project();
  expect(await bench.text("Glob", { pattern: "**/*.{ts,tsx}" })).toBe("top.ts\nsrc/deep/b.tsx\nsrc/a.ts");
  for (let i = 0; i < 120; i++) await bench.put(`many/${i}.txt`, "");
  const text = await bench.text("Glob", { pattern: "many/*.txt" });
  expect(text.split("\n").filter((line) => line.startsWith("many/"))).toHaveLength(100);
  expect(text).toContain("[The 100 newest of 120.");
});

test.each([
  [{ pattern: "alpha" }, [".hidden/c.md", "src/deep/b.tsx"]],
  [{ pattern: "alpha", "-i": true }, [".hidden/c.md", "src/a.ts", "src/deep/b.tsx"]],
  [{ pattern: "alpha", glob: "*.tsx" }, ["src/deep/b.tsx"]],
  [{ pattern: "alpha", glob: "!*.md" }, ["src/deep/b.tsx"]],
  [{ pattern: "alpha", path: "src" }, ["src/deep/b.tsx"]],
  [{ pattern: "alpha", type: "ts" }, ["src/deep/b.tsx"]],
  [{ pattern: "alpha", output_mode: "count" }, [".hidden/c.md:1", "src/deep/b.tsx:2"]],
  [{ pattern: "alpha", output_mode: "content", glob: "*.tsx" }, ["src/deep/b.tsx:1:alpha", "src/deep/b.tsx:2:alpha alpha"]],
  [{ pattern: "alpha", output_mode: "content", "-n": false, path: ".hidden" }, [".hidden/c.md:alpha"]],
  [{ pattern: "bar", output_mode: "content", "-C": 1 }, ["src/a.ts-2-foo(", "src/a.ts-4-)", "src/a.ts:3:  bar"]],
  [{ pattern: "foo\\(.*?\\)", multiline: true }, ["src/a.ts"]],
  [{ pattern: "--flag", output_mode: "content" }, ["top.ts:2:--flag"]],
  [{ pattern: "x-y", path: "top.ts", output_mode: "content" }, ["top.ts:1:x-y"]],
])("Grep %j finds exactly the lines or files that are not ignored", async (args, expected) => {
  const bench = await project();
  expect(sorted(await bench.text("Grep", args))).toEqual(expected);
});

test.each<Record<string, string>>([
  { pattern: "alpha", glob: "*.log" },
  { pattern: "alpha", glob: "src/*.log", output_mode: "content" },
  { pattern: "alpha", glob: "**/node_modules/**" },
  { pattern: "alpha", glob: ".git/*" },
  { pattern: "nowhere" },
])("Grep %j finds nothing", async (args) => {
  const bench = await project();
  expect(await bench.text("Grep", args)).toMatch(/^No matches/);
});

test("Grep's results are cut at head_limit and say so", async () => {
  const bench = await project();
  await bench.put("lines.txt", "hit\n".repeat(1_000));
  const text = await bench.text("Grep", { pattern: "hit", output_mode: "content", head_limit: 3 });
  expect(text).toBe("lines.txt:1:hit\nlines.txt:2:hit\nlines.txt:3:hit\n\n[The first 3 of 1000. Narrow the search, or raise head_limit.]");
});

test("a bad pattern or type is an error that says what ripgrep says", async () => {
  const bench = await project();
  expect(await bench.text("Grep", { pattern: "(" })).toMatch(/^ERROR: Grep failed: .*regex parse error/s);
  expect(await bench.text("Grep", { pattern: "a", type: "zzz" })).toMatch(/^ERROR: Grep failed: .*unrecognized file type/s);
  expect(await bench.text("Glob", { pattern: "{a" })).toMatch(/^ERROR: Glob failed/);
});

test("neither leaves the workspace: by path, by pattern, or through a link", async () => {
  const bench = await project();
  const other = await toolBench();
  await other.put("x.ts", "alpha");
  await symlink(other.workspace, bench.at("link"));
  for (const path of [other.workspace, "link", ".."]) {
    expect(await bench.text("Grep", { pattern: "alpha", path })).toContain("is outside the workspace");
    expect(await bench.text("Glob", { pattern: "*", path })).toContain("is outside the workspace");
  }
  expect(await bench.text("Glob", { pattern: `${other.workspace}/*.ts` })).toContain("is outside the workspace");
  expect(await bench.text("Glob", { pattern: "../**/*.ts" })).toContain("is outside the workspace");
  expect(await bench.text("Glob", { pattern: "**/x.ts" })).toContain("No files match");
  expect(await bench.text("Grep", { pattern: "nope|alpha", output_mode: "files_with_matches" })).not.toContain("x.ts");
});
