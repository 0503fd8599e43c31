import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/core/files.ts";
import { newFolder } from "../folder.ts";

test("a folder is made with all above it, and one that is there stays", () => {
  const folder = join(newFolder(), "a", "b", "c");
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test("where a file or a link to nothing stands in the way it says so, and makes nothing", () => {
  const place = newFolder();
  writeFileSync(join(place, "file"), "");
  symlinkSync("nowhere", join(place, "link"));
  for (const name of ["file", "file/a", "file/a/b", "link", "link/a"]) expect(() => makeFolder(join(place, name)), name).toThrow(/^E/);
  expect(existsSync(join(place, "nowhere"))).toBe(false);
});

test.runIf(existsSync("/proc/self"))("where none can be made it gives up at once", () => {
  for (const path of ["/proc/none", "/proc/none/a/b"]) expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: "ENOENT" }));
});
