import { chmod, readFile, stat, symlink, utimes } from "node:fs/promises";
import { expect, test } from "vitest";
import { type ToolBench, toolBench } from "./tool-bench.ts";

async function editing(content: string | Buffer, args: object): Promise<{ text: string; after: string; bench: ToolBench }> {
  const bench = await toolBench();
  await bench.put("f", content);
  await bench.call("Read", { file_path: "f" });
  const text = await bench.text("Edit", { file_path: "f", ...args });
  return { text, after: await readFile(bench.at("f"), "utf8"), bench };
}

test.each([
  ["one match", "a\nb\nc\n", { old_string: "b", new_string: "B" }, "a\nB\nc\n"],
  ["all matches", "x x x", { old_string: "x", new_string: "yx", replace_all: true }, "yx yx yx"],
  ["replacement patterns are plain text", "cost", { old_string: "cost", new_string: "$& $1 $$" }, "$& $1 $$"],
  ["a deletion", "a\nb\n", { old_string: "a\n", new_string: "" }, "b\n"],
  ["CRLF lines by an LF text", "a\r\nb\r\nc\r\n", { old_string: "a\nb", new_string: "1\n2\n3" }, "1\r\n2\r\n3\r\nc\r\n"],
  ["one line of CRLF by several", "a\r\nb\r\n", { old_string: "b", new_string: "c\nd" }, "a\r\nc\r\nd\r\n"],
  ["mixed line ends stay", "a\r\nb\nc\n", { old_string: "b\nc", new_string: "B\nC" }, "a\r\nB\nC\n"],
  ["a byte order mark stays", "\uFEFFa\n", { old_string: "a", new_string: "b" }, "\uFEFFb\n"],
  ["no line end at the end stays so", "a\nb", { old_string: "b", new_string: "c" }, "a\nc"],
  ["unicode", "花🌸 é\n", { old_string: "🌸 é", new_string: "🌼 ü" }, "花🌼 ü\n"],
])("an edit does what it says: %s", async (_name, before, args, expected) => {
  const { after, text } = await editing(before, args);
  expect(after).toBe(expected);
  expect(text).toMatch(/^Changed f/);
});

test.each([
  ["no match", "abc", { old_string: "x", new_string: "y" }, "was not found"],
  ["other white space", "  if (a) {\n    b\n", { old_string: "if (a) {\n  b", new_string: "" }, "other white space"],
  ["Read's numbers copied", "abc\n", { old_string: "     1\tabc", new_string: "" }, "line numbers"],
  ["two matches", "x\ny\nx\n", { old_string: "x", new_string: "z" }, "at 2 places (lines 1, 3)"],
  ["nothing to find", "abc", { old_string: "", new_string: "z" }, "old_string is empty"],
  ["no change", "abc", { old_string: "a", new_string: "a" }, "are the same"],
])("an edit that cannot be done changes nothing and says why: %s", async (_name, before, args, reason) => {
  const { after, text } = await editing(before, args);
  expect(after).toBe(before);
  expect(text).toMatch(/^ERROR/);
  expect(text).toContain(reason);
});

test("bytes that are not UTF-8 are not damaged", async () => {
  const latin1 = Buffer.from([0x61, 0xe9, 0x62]);
  const { text, bench } = await editing(latin1, { old_string: "b", new_string: "c" });
  expect(text).toContain("not UTF-8");
  expect(await readFile(bench.at("f"))).toEqual(latin1);
});

test("the result shows the changed lines with their numbers", async () => {
  const { text } = await editing("1\n2\n3\n4\n5\n6\n7\n8\n9\n", { old_string: "5", new_string: "five\nfünf" });
  expect(text).toBe("Changed f:\n     2\t2\n     3\t3\n     4\t4\n     5\tfive\n     6\tfünf\n     7\t6\n     8\t7\n     9\t8");
});

test("the file's mode stays, and a link stays a link", async () => {
  const bench = await toolBench();
  await bench.put("script", "echo a\n");
  await chmod(bench.at("script"), 0o751);
  await symlink("script", bench.at("link"));
  await bench.call("Read", { file_path: "link" });
  await bench.call("Edit", { file_path: "link", old_string: "a", new_string: "b" });
  expect((await stat(bench.at("script"))).mode & 0o777).toBe(0o751);
  expect(await readFile(bench.at("script"), "utf8")).toBe("echo b\n");
});

test("what was not read, or has changed since, is not overwritten", async () => {
  const bench = await toolBench();
  await bench.put("f", "old");
  const edit = { file_path: "f", old_string: "old", new_string: "new" };
  expect(await bench.text("Edit", edit)).toContain("has not been read");
  expect(await bench.text("Write", { file_path: "f", content: "new" })).toContain("has not been read");
  await bench.call("Read", { file_path: "f" });
  expect(await bench.text("Edit", edit, { sessionId: "another" })).toContain("has not been read");
  const { mtime, atime } = await stat(bench.at("f"));
  await bench.put("f", "olf"); // same size
  await utimes(bench.at("f"), atime, mtime);
  expect(await bench.text("Edit", edit)).toContain("has changed since");
  expect(await bench.text("Write", { file_path: "f", content: "new" })).toContain("has changed since");
  expect(await readFile(bench.at("f"), "utf8")).toBe("olf");
});

test("a file that was only touched has not changed", async () => {
  const bench = await toolBench();
  await bench.put("f", "old");
  await bench.call("Read", { file_path: "f" });
  await utimes(bench.at("f"), 0, 0);
  expect(await bench.text("Edit", { file_path: "f", old_string: "old", new_string: "new" })).toMatch(/^Changed/);
});

test("a session's own writes count as read", async () => {
  const bench = await toolBench();
  expect(await bench.text("Write", { file_path: "new/deep/f", content: "a\nb\n" })).toBe("Created new/deep/f (2 lines).");
  expect(await bench.text("Edit", { file_path: "new/deep/f", old_string: "a", new_string: "c" })).toMatch(/^Changed/);
  expect(await bench.text("Write", { file_path: bench.at("new/deep/f"), content: "d" })).toBe("Replaced new/deep/f (1 line).");
});

test("two sessions that edit one file at the same time do not lose each other's change", async () => {
  const bench = await toolBench();
  await bench.put("f", "a b");
  for (const sessionId of ["s1", "s2"]) await bench.call("Read", { file_path: "f" }, { sessionId });
  const texts = await Promise.all([
    bench.text("Edit", { file_path: "f", old_string: "a", new_string: "A" }, { sessionId: "s1" }),
    bench.text("Edit", { file_path: "f", old_string: "b", new_string: "B" }, { sessionId: "s2" }),
  ]);
  expect(texts.filter((text) => text.includes("has changed since"))).toHaveLength(1);
  expect(["A b", "a B"]).toContain(await readFile(bench.at("f"), "utf8"));
});

test("folders, and paths that lead through files, are refused with a reason", async () => {
  const bench = await toolBench();
  await bench.put("dir/file", "x");
  expect(await bench.text("Write", { file_path: "dir", content: "" })).toBe("ERROR: dir is a folder.");
  expect(await bench.text("Write", { file_path: "dir/file/x", content: "" })).toContain("a part of its path is a file");
  expect(await bench.text("Edit", { file_path: "dir/fil", old_string: "a", new_string: "b" })).toContain("Did you mean dir/file?");
  expect(await bench.text("Write", { file_path: "../escape", content: "" })).toContain("is outside the workspace");
});
