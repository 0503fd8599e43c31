import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolvePath, splitGlob } from "../../src/tools/builtin/paths.ts";
import { temporaryFolder } from "./tool-bench.ts";

async function scene() {
  const root = await temporaryFolder();
  const workspace = join(root, "work");
  const extra = join(root, "extra");
  const outside = join(root, "outside");
  for (const folder of [join(workspace, "src"), extra, join(outside, "deep")]) await mkdir(folder, { recursive: true });
  await writeFile(join(outside, "secret"), "x");
  await symlink(outside, join(workspace, "out"));
  await symlink(join(outside, "secret"), join(workspace, "secret-link"));
  await symlink(join(outside, "not-yet"), join(workspace, "dangling"));
  await symlink("src", join(workspace, "in"));
  await symlink(join(outside, "deep"), join(workspace, "src", "deep"));
  await symlink("loop", join(workspace, "loop"));
  await symlink(workspace, join(root, "alias"));
  return { root, workspace, extra, outside };
}

const INSIDE = ["a.txt", "src/new/file.ts", "./src/../a.txt", "in/x", "{workspace}/a", "{extra}/b", "{root}/alias/a", ".", "..a/b", "~x"];
const OUTSIDE = [
  "../work2/x",
  "..",
  "/etc/passwd",
  "/",
  "~/x",
  "~",
  "out/secret",
  "out/new/file",
  "secret-link",
  "dangling",
  "src/deep/../secret",
  "in/../../x",
  "{root}/workspace-evil/x",
  "/proc/self/root/etc/passwd",
];

test.each(INSIDE)("%s is inside", async (written) => {
  const places = await scene();
  const resolved = await resolvePath(fill(written, places), { workspace: places.workspace, addDirs: [places.extra] });
  expect(resolved).toMatchObject({ inside: true });
});

test.each(OUTSIDE)("%s is outside", async (written) => {
  const places = await scene();
  const resolved = await resolvePath(fill(written, places), { workspace: places.workspace, addDirs: [places.extra] });
  expect(resolved).toMatchObject({ inside: false });
});

test.each(["", "  ", "a\0b", "loop/x"])("%j is no path", async (written) => {
  const { workspace } = await scene();
  expect(typeof (await resolvePath(written, { workspace }))).toBe("string");
});

test("a link is followed before the .. behind it, as the kernel does", async () => {
  const { workspace, outside } = await scene();
  expect(await resolvePath("src/deep/../secret", { workspace })).toMatchObject({ path: join(outside, "secret") });
});

test("a workspace that is itself reached by a link counts as its real folder", async () => {
  const { root, workspace } = await scene();
  const resolved = await resolvePath("src/a.ts", { workspace: join(root, "alias") });
  expect(resolved).toEqual({ path: join(workspace, "src/a.ts"), shown: "src/a.ts", inside: true });
});

test("the home folder is what ~ stands for", async () => {
  const { workspace } = await scene();
  expect(await resolvePath("~/x/y", { workspace })).toMatchObject({ path: join(homedir(), "x/y") });
});

test.each([
  ["*.ts", "src", "src", "*.ts"],
  ["src/**/*.ts", ".", ".", "src/**/*.ts"],
  ["/a/b/*.ts", ".", "/a/b", "./*.ts"],
  ["../x/*.ts", "src", "src/../x", "./*.ts"],
  ["/*", ".", "/", "./*"],
  ["/a/b.ts", ".", "/a", "./b.ts"],
  ["~/n/**/x", ".", "~/n", "./**/x"],
])("the glob %s in %s searches %s for %s", (pattern, folder, base, rest) => {
  expect(splitGlob(pattern, folder)).toEqual({ folder: base, pattern: rest });
});

function fill(written: string, places: Readonly<Record<string, string>>): string {
  return written.replace(/\{(\w+)\}/g, (_, name: string) => places[name] as string);
}
