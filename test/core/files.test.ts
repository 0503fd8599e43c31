import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendToFile, hasCode, readText, replaceFile, setAside, withFileLock } from "../../src/core/files.ts";
import { newFolder } from "../folder.ts";

test("a file is replaced as a whole: a reader sees the old or the new content, never a part", async () => {
  const path = join(newFolder(), "deep/er/file.txt");
  const contents = ["a", "b"].map((letter) => letter.repeat(300_000));
  await replaceFile(path, contents[0]!);
  const seen = new Set<string>();
  let writing = true;
  const writer = (async () => {
    for (let i = 1; i <= 20; i++) await replaceFile(path, contents[i % 2]!);
    writing = false;
  })();
  while (writing) seen.add(await readFile(path, "utf8"));
  await writer;
  expect([...seen].every((content) => contents.includes(content))).toBe(true);
  expect(await readdir(join(path, ".."))).toEqual(["file.txt"]);
});

test("a file can be made for its owner only", async () => {
  const path = join(newFolder(), "secret");
  await replaceFile(path, "x", { mode: 0o600 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("appending makes folders and file, and keeps what is there", async () => {
  const path = join(newFolder(), "a/b/log.md");
  await appendToFile(path, "one\n");
  await appendToFile(path, "two\n");
  expect(await readText(path)).toBe("one\ntwo\n");
});

test("a file that is not there reads as undefined, also below a file; other failures throw", async () => {
  const folder = newFolder();
  await writeFile(join(folder, "file"), "");
  expect(await readText(join(folder, "none"))).toBeUndefined();
  expect(await readText(join(folder, "file/none"))).toBeUndefined();
  await expect(readText(folder)).rejects.toSatisfy((error) => hasCode(error, "EISDIR"));
  await symlink("loop", join(folder, "loop"));
  await expect(readText(join(folder, "loop"))).rejects.toSatisfy((error) => hasCode(error, "ELOOP"));
});

test("files set aside at the same instant are all kept", async () => {
  const folder = newFolder();
  const path = join(folder, "book.json");
  const asides: string[] = [];
  for (const content of ["first", "second", "third"]) {
    await writeFile(path, content);
    asides.push(await setAside(path, 1_000));
  }
  expect(await readText(path)).toBeUndefined();
  expect(await Promise.all(asides.map(readText))).toEqual(["first", "second", "third"]);
  expect(asides[0]).toMatch(/book\.json\.broken-1970-01-01T000001\.000Z$/);
});

test("work under a lock never overlaps, and every caller gets its turn", async () => {
  const path = join(newFolder(), "not/yet/there.json");
  let inside = 0;
  let most = 0;
  const work = () =>
    withFileLock(path, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      return --inside;
    });
  await Promise.all(Array.from({ length: 12 }, work));
  expect(most).toBe(1);
});

test("a lock is given back when its work fails, and the failure is the caller's", async () => {
  const path = join(newFolder(), "file");
  await expect(withFileLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withFileLock(path, async () => "free")).toBe("free");
});

test("a lock that a dead process left is taken over", async () => {
  const path = join(newFolder(), "file");
  await mkdir(`${path}.lock`);
  const { utimes } = await import("node:fs/promises");
  await utimes(`${path}.lock`, 0, 0);
  expect(await withFileLock(path, async () => "taken")).toBe("taken");
});
