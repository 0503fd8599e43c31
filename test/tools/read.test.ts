import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { Grants } from "../../src/tools/builtin/grants.ts";
import { toolBench } from "./tool-bench.ts";

test("text comes numbered, from the offset, as many lines as the limit says", async () => {
  const bench = await toolBench();
  await bench.put("a.txt", "one\r\ntwo\nthree\n");
  expect(await bench.text("Read", { file_path: "a.txt" })).toBe("     1\tone\n     2\ttwo\n     3\tthree");
  expect(await bench.text("Read", { file_path: bench.at("a.txt"), offset: 2, limit: 1 })).toBe("     2\ttwo");
  expect(await bench.text("Read", { file_path: "a.txt", offset: 9 })).toContain("has 3 lines; there is no line 9");
});

test("without a limit 2,000 lines come, and the result says how to go on", async () => {
  const bench = await toolBench();
  await bench.put("long.txt", "x\n".repeat(2_500));
  const text = await bench.text("Read", { file_path: "long.txt" });
  expect(text).toContain("  2000\tx");
  expect(text).not.toContain("  2001\tx");
  expect(text).toContain("[500 more lines of 2500. Go on with offset 2001.]");
});

test("a long line is cut with a mark, and a huge result at a whole line", async () => {
  const bench = await toolBench();
  await bench.put("wide.txt", `${"y".repeat(5_000)}\nend`);
  const text = await bench.text("Read", { file_path: "wide.txt" });
  expect(text).toContain("… [3000 more characters]\n     2\tend");
  await bench.put("huge.txt", `${"z".repeat(1_900)}\n`.repeat(1_000));
  const huge = await bench.text("Read", { file_path: "huge.txt" });
  expect(huge.length).toBeLessThan(101_000);
  expect(huge).toMatch(/more lines of 1000\. Go on with offset \d+\.\]$/);
});

test("images are shown, told by their bytes; other binary files are refused", async () => {
  const bench = await toolBench();
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  await bench.put("picture.dat", png);
  await bench.put("program.txt", Buffer.from([1, 2, 0, 3]));
  const outcome = await bench.call("Read", { file_path: "picture.dat" });
  expect(outcome.content).toEqual([{ type: "image", mediaType: "image/png", data: png.toString("base64") }]);
  expect(await bench.text("Read", { file_path: "program.txt" })).toMatch(/^ERROR: program.txt is a binary file \(4 bytes\)/);
});

test("a missing file is named with its like-named neighbours, a folder with what lists it", async () => {
  const bench = await toolBench();
  await bench.put("src/index.ts", "");
  expect(await bench.text("Read", { file_path: "src/index.js" })).toBe("ERROR: src/index.js does not exist. Did you mean src/index.ts?");
  expect(await bench.text("Read", { file_path: "src/idnex.ts" })).toContain("Did you mean src/index.ts?");
  expect(await bench.text("Read", { file_path: "zzz" })).toBe("ERROR: zzz does not exist.");
  expect(await bench.text("Read", { file_path: "src" })).toContain("is a folder. List it with Glob");
  expect(await bench.text("Read", { file_path: "src/index.ts" })).toBe("src/index.ts is empty.");
});

test("a pipe is refused instead of waited for", async () => {
  const bench = await toolBench();
  execFileSync("bash", ["-c", 'mkfifo "$0"', bench.at("pipe")]);
  expect(await bench.text("Read", { file_path: "pipe" })).toContain("not a regular file");
});

test("a path outside is refused, also through a link, unless this call was granted", async () => {
  const grants = new Grants();
  const bench = await toolBench({ grants });
  const other = await toolBench();
  await other.put("x", "hidden");
  await symlink(other.workspace, bench.at("link"));
  expect(await bench.text("Read", { file_path: "link/x" })).toMatch(/^ERROR: .* is outside the workspace/);
  grants.add({ sessionId: "s1", callId: "call00001" });
  expect(await bench.text("Read", { file_path: "link/x" })).toContain("hidden");
  expect(await bench.text("Read", { file_path: "link/x" }, { sessionId: "s2" })).toMatch(/^ERROR/);
});
