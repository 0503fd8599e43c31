import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { spillGuard } from "../../src/guards/spill.ts";
import { type ResultContent, resultText } from "../../src/messages/message.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { newFolder } from "../folder.ts";
import { toolContext } from "../tools/tool-bench.ts";

function desk(threshold?: number) {
  const workbench = new Workbench(newFolder()).ensure();
  const guard = spillGuard(workbench, threshold);
  return {
    workbench,
    files: () => readdirSync(workbench.spill),
    read: (name: string) => readFileSync(join(workbench.spill, name), "utf8"),
    async finish(content: string | readonly ResultContent[], call: { readonly name?: string; readonly args?: Json } = {}) {
      const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
      const outcome = await guard.after?.(
        { type: "call", callId: "c", name: call.name ?? "Bash", args: call.args ?? {} },
        { content: parts, isError: false },
        toolContext(),
      );
      return outcome ?? { content: parts, isError: false };
    },
  };
}

const long = `${"a".repeat(2_000)}${"b".repeat(2_000)}`;

describe("a long result", () => {
  it("goes to a file as a whole; the model gets its ends and where it is", async () => {
    const { finish, files, read, workbench } = desk();
    const text = resultText((await finish(long)).content);
    expect(files()).toHaveLength(1);
    expect(read(files()[0] ?? "")).toBe(long);
    expect(text).toContain(join(workbench.spill, files()[0] ?? "?"));
    expect(text).toContain(`${"a".repeat(400)}\n[…]\n${"b".repeat(400)}`);
    expect(text.length).toBeLessThan(1_100);
  });

  it("begins at the threshold, not before", async () => {
    const { finish, files } = desk(100);
    await finish("x".repeat(99));
    expect(files()).toEqual([]);
    await finish("x".repeat(100));
    expect(files()).toHaveLength(1);
  });

  it("that comes twice lies there once", async () => {
    const { finish, files } = desk();
    await finish(long);
    await finish(long);
    expect(files()).toHaveLength(1);
  });

  it("has its secrets masked in the file and in what the model gets", async () => {
    const { finish, files, read } = desk();
    const secret = `sk-${"A1b2".repeat(8)}`;
    await finish(`${secret} ${long}`);
    expect(read(files()[0] ?? "")).not.toContain(secret);
  });

  it("of data is kept as data", async () => {
    const { finish, files, read } = desk();
    await finish([{ type: "json", value: { list: [long] } }]);
    expect(JSON.parse(read(files()[0] ?? ""))).toEqual({ list: [long] });
  });

  it("keeps its images in the conversation, and stays an error if it is one", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AA==" } as const;
    const { content } = await desk().finish([{ type: "text", text: long }, image]);
    expect(content[1]).toEqual(image);
  });

  it("is not cut in the middle of a character", async () => {
    const text = resultText((await desk().finish("😀".repeat(2_001))).content);
    expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
  });
});

describe("never spilled is", () => {
  it.each<{ readonly title: string; readonly name: string; readonly args: Json }>([
    { title: "a file's page", name: "Read", args: { file_path: "a.txt" } },
    { title: "what a person said", name: "mcp__human__inbox", args: {} },
    { title: "a spill file read by its path", name: "Bash", args: { command: "cat .flower/spill/0123.txt" } },
    { title: "a spill file read from its folder", name: "Bash", args: { command: "cd .flower && cat 'spill/0123.txt'" } },
    { title: "a search in spill files", name: "Grep", args: { pattern: "x", path: ".flower/spill/0123.txt" } },
  ])("$title", async ({ name, args }) => {
    const { finish, files } = desk();
    expect(resultText((await finish(long, { name, args })).content)).toBe(long);
    expect(files()).toEqual([]);
  });

  it("a spill file read by its absolute path", async () => {
    const { finish, files, workbench } = desk();
    await finish(long, { name: "Grep", args: { path: `${workbench.spill}/0123.txt` } });
    expect(files()).toEqual([]);
  });
});
