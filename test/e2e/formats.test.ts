import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demoReply } from "../../src/cli/demo/script.ts";
import { Books } from "./books.ts";
import { flower, newFolder } from "./cli.ts";
import { FORMATS, serveModel } from "./model-server.ts";

const REQUEST = "Write a Markdown to HTML converter: node conv.js file.md writes file.html.";

describe.each(FORMATS)("over the %s format", (format) => {
  test("one sentence in an empty folder becomes work that a judge has passed, with every document of it", async () => {
    const server = await serveModel(demoReply);
    const folder = await newFolder();
    const { code, stdout, stderr } = await flower([REQUEST, "--timeout", "0"], { cwd: folder, env: server.env(format) });
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });

    const books = new Books(folder);
    expect(await books.read("sample.html")).toMatch(/<ul>\s*<li>apples<\/li>/);
    expect(await books.read("conv.js")).toContain("<ul>");
    expect(await books.note("brief.md")).toContain("# Acceptance criteria");
    expect(await books.note("goal.md")).toContain("$ node conv.js sample.md");
    expect(await books.note("questions.md")).toMatch(/How should HTML[\s\S]*not answered by anyone/);

    expect(await books.labels()).toEqual(["clarify", "goal", "work", "work·judge#1", "work#round2", "work·judge#2"]);
    expect((await books.manifest()).every((row) => row.ok && row.sessionId !== undefined && (row.usage?.inputTokens ?? 0) > 0)).toBe(true);
    const { outcome, steps, request } = await books.lineage();
    expect({ outcome, request }).toEqual({ outcome: "achieved", request: REQUEST });
    expect(Object.values(steps).map((step) => step.finished)).toEqual([true, true, true]);

    const verdicts = await readdir(join(books.runDir, await books.lastRun(), "verdicts"));
    expect(verdicts.sort()).toEqual(["work-1.json", "work-1.md", "work-2.json", "work-2.md"]);
    const asks = await books.payloads("ask");
    expect(asks).toMatchObject([{ kind: "question", state: "timeout" }]);
    expect(await books.end()).toMatchObject({ outcome: "achieved", exitCode: 0 });
    await books.expectWhole();
  });
});
