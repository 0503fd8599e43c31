import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkRunFolder } from "../../src/workbench/run-folder.ts";
import { newFolder } from "../folder.ts";

const folderWith = (...names: readonly string[]) => {
  const folder = newFolder();
  for (const name of names) name.endsWith("/") ? mkdirSync(join(folder, name)) : writeFileSync(join(folder, name), "");
  return folder;
};

test.each([[["data.csv"]], [["manifest.json"]], [["exp1/", "exp2/"]], [[".gitignore", "new.csv"]]])(
  "a folder with %j is in use for something else",
  async (names) => {
    const folder = folderWith(...names);
    await expect(checkRunFolder(folder)).rejects.toMatchObject({ code: "bad-config", message: expect.stringContaining(folder) });
  },
);

test.each([
  [[]],
  [[".gitignore"]],
  [["go.lock", "aside/"]],
  [["20261201-023315-aa59d7/", "notes.txt"]],
  [["sessions.db"]],
  [["lineage.json"]],
])("a folder with %j can hold books", async (names) => expect(await checkRunFolder(folderWith(...names))).toBeUndefined());

test("a folder that is not there is nobody's", async () => {
  expect(await checkRunFolder(join(newFolder(), "none"))).toBeUndefined();
});
