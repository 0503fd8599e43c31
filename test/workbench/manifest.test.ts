import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendManifestRows, type ManifestRow, readManifest } from "../../src/workbench/manifest.ts";
import { newFolder } from "./folder.ts";

const AT = "2026-01-01T00:00:00.000Z";

function row(step: string, change: Partial<ManifestRow> = {}): ManifestRow {
  return {
    run: "r1",
    step,
    ok: true,
    numIterations: 1,
    text: "done",
    error: "",
    startedAt: AT,
    attempts: 1,
    errors: [],
    resumed: false,
    retired: [],
    ...change,
  };
}

const newPath = () => join(newFolder(), "runs", "manifest.json");

test("rows are added in order, and a row of the same run, step and start is brought up to date", async () => {
  const path = newPath();
  await appendManifestRows(path, [row("work", { ok: false, sessionId: "s" }), row("work#round2")]);
  await appendManifestRows(path, [row("work", { run: "r2" }), row("work", { endedAt: AT })]);
  expect(await readManifest(path)).toEqual([row("work", { sessionId: "s", endedAt: AT }), row("work#round2"), row("work", { run: "r2" })]);
});

test("a missing manifest has no rows", async () => {
  expect(await readManifest(newPath())).toEqual([]);
});

describe("a file that is no manifest", () => {
  test.each([
    ["half", '[{"run":'],
    ["an object", "{}"],
    ["empty", ""],
  ])("is set aside as it is, never overwritten: %s", async (_name, broken) => {
    const path = newPath();
    await appendManifestRows(path, []);
    writeFileSync(path, broken);
    expect(await readManifest(path)).toBeUndefined();
    expect(readFileSync(path, "utf8")).toBe(broken);
    const { aside } = await appendManifestRows(path, [row("work")], () => 0);
    expect(readFileSync(aside as string, "utf8")).toBe(broken);
    expect(await readManifest(path)).toEqual([row("work")]);
    expect(readdirSync(dirname(path)).length).toBe(2);
  });
});

test("what a newer version wrote is kept", async () => {
  const path = newPath();
  await appendManifestRows(path, [row("work")]);
  writeFileSync(path, JSON.stringify([{ ...row("work"), more: 1 }, { kind: "new" }]));
  await appendManifestRows(path, [row("work", { ok: false })]);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual([{ ...row("work", { ok: false }), more: 1 }, { kind: "new" }]);
});
