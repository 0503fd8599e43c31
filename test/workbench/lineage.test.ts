import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  archiveLineage,
  type LineagePlace,
  lineagePath,
  newLineage,
  readLineage,
  updateLineage,
  wakeState,
  withStep,
} from "../../src/workbench/lineage.ts";
import { readManifest } from "../../src/workbench/manifest.ts";
import { ended, startChild } from "./children.ts";
import { newFolder } from "./folder.ts";

function newPlace(): LineagePlace & { readonly runDir: string } {
  const workspace = newFolder();
  const runDir = join(workspace, "runs");
  mkdirSync(runDir);
  return { workspace, runDir, path: lineagePath(runDir), now: () => 0 };
}

const LINEAGE = withStep(newLineage("make it", "pt", "r1"), "trabalho", { sessionId: "s1" });

test("the first start finds nothing and says so", async () => {
  expect(await readLineage(newPlace(), "flow")).toEqual({ notice: { code: "missing" } });
});

test("what was written is read back, by workflow name only", async () => {
  const place = newPlace();
  await updateLineage(place, "flow", () => LINEAGE);
  expect(await readLineage(place, "flow")).toEqual({ lineage: LINEAGE });
  for (const other of ["other", "constructor", "__proto__"]) {
    expect(await readLineage(place, other)).toEqual({ notice: { code: "missing" } });
  }
});

test("a change starts from what the file says now, and leaves other workflows alone", async () => {
  const place = newPlace();
  await updateLineage(place, "other", () => LINEAGE);
  await updateLineage(place, "flow", () => LINEAGE);
  await updateLineage(place, "flow", (current) => current && withStep(current, "trabalho", { finished: true, round: 2 }));
  expect((await readLineage(place, "flow")).lineage?.steps).toEqual({ trabalho: { sessionId: "s1", finished: true, round: 2 } });
  await updateLineage(place, "flow", () => undefined);
  expect(await readLineage(place, "flow")).toEqual({ notice: { code: "missing" } });
  expect(await readLineage(place, "other")).toEqual({ lineage: LINEAGE });
});

describe("a file that cannot be used makes a fresh start", () => {
  test.each([
    ["half a file", '{"workspace":'],
    ["no lineage", "[]"],
    ["a broken entry", '{"workspace":"WORKSPACE","workflows":{"flow":{"request":1}}}'],
    ["a broken step", JSON.stringify({ workspace: "WORKSPACE", workflows: { flow: { ...LINEAGE, steps: { a: { round: "1" } } } } })],
  ])("%s is set aside", async (_name, text) => {
    const place = newPlace();
    const broken = text.replace("WORKSPACE", place.workspace);
    writeFileSync(place.path, broken);
    expect(await wakeState(place.workspace, place.runDir)).toEqual({ kind: "broken", workflows: {} });
    expect(readFileSync(place.path, "utf8")).toBe(broken);
    const { notice } = await readLineage(place, "flow");
    expect(notice?.code).toBe("broken");
    expect(readFileSync(notice?.aside as string, "utf8")).toBe(broken);
    expect(await readLineage(place, "flow")).toEqual({ notice: { code: "missing" } });
  });

  test("one of another workspace is set aside, on reading and on writing", async () => {
    const place = newPlace();
    await updateLineage(place, "flow", () => LINEAGE);
    const elsewhere = { ...place, workspace: newFolder() };
    expect((await wakeState(elsewhere.workspace, place.runDir)).kind).toBe("foreign");
    await updateLineage(elsewhere, "flow", (current) => {
      expect(current).toBeUndefined();
      return LINEAGE;
    });
    expect(readdirSync(place.runDir)).toHaveLength(2);
    expect((await readLineage({ ...place, now: () => 1_000 }, "flow")).notice).toMatchObject({ code: "foreign" });
    expect(readdirSync(place.runDir)).toHaveLength(2);
  });

  test("a folder in its place, or one that cannot be written, never makes reading throw", async () => {
    const place = newPlace();
    mkdirSync(place.path);
    expect((await readLineage(place, "flow")).notice?.code).toBe("broken");
    writeFileSync(place.path, "x");
    chmodSync(place.runDir, 0o500);
    expect((await readLineage(place, "flow")).notice?.code).toBe("broken");
    chmodSync(place.runDir, 0o700);
  });
});

test("probing changes nothing", async () => {
  const place = newPlace();
  await updateLineage(place, "flow", () => LINEAGE);
  const before = readdirSync(place.runDir);
  expect(await wakeState(place.workspace, place.runDir)).toEqual({ kind: "known", workflows: { flow: LINEAGE } });
  expect(await wakeState(place.workspace, join(place.workspace, "none"))).toEqual({ kind: "missing", workflows: {} });
  expect(readdirSync(place.runDir)).toEqual(before);
});

test("an archived lineage is kept, and the next start is a fresh one", async () => {
  const place = newPlace();
  await updateLineage(place, "flow", () => LINEAGE);
  const folder = join(dirname(place.runDir), "archive");
  await archiveLineage(place, "flow", folder);
  await archiveLineage(place, "flow", folder);
  expect(JSON.parse(readFileSync(join(folder, "lineage.json"), "utf8"))).toEqual({ workflow: "flow", ...LINEAGE });
  expect((await readLineage(place, "flow")).notice?.code).toBe("missing");
});

test("two processes that write the books at once lose nothing", async () => {
  const place = newPlace();
  const folder = place.runDir;
  const codes = await Promise.all([ended(startChild("update-books", folder, "a")), ended(startChild("update-books", folder, "b"))]);
  expect(codes).toEqual([0, 0]);
  expect(await readManifest(join(folder, "manifest.json"))).toHaveLength(40);
  const { lineage } = await readLineage({ ...place, workspace: folder }, "flow");
  expect(Object.keys(lineage?.steps ?? {})).toHaveLength(40);
});
