import { describe, expect, it } from "vitest";
import { type Block, blocksOf, readPages } from "./pages.ts";
import { runExample } from "./run-example.ts";
import { typeErrors } from "./type-check.ts";

const RUN = /^\/\/ run\n/;

const pages = readPages().map(blocksOf);
const programs = pages.flatMap((blocks) =>
  blocks.flatMap((block, index) => (RUN.test(block.code) ? [{ block, output: blocks[index + 1] }] : [])),
);

describe("the examples of the documentation", () => {
  it("compile, every one", () => {
    const examples = pages.flat().filter((block) => block.language === "ts");
    expect(examples.length).toBeGreaterThan(20);
    expect(typeErrors(examples)).toEqual([]);
  });

  it.each(programs.map((program) => ({ ...program, at: `${program.block.page}:${program.block.line}` })))(
    "print what the page says: $at",
    async ({ block, output }) => {
      expect(output?.language, "a program is followed by its output").toBe("text");
      const { exitCode, stdout, stderr } = await runExample(block);
      expect(stderr).toBe("");
      expect(stdout.trimEnd()).toBe(output?.code);
      expect(exitCode).toBe(0);
    },
  );
});

describe("the check of the examples", () => {
  const block = (code: string, given = ""): Block => ({ page: "a.md", line: 10, language: "ts", code, given });

  it("reports a block that does not compile, with its page and line", () => {
    const errors = typeErrors([block('import { Agent } from "flower-agents";\n\nnew Agent({ nam: "A" });')]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^a\.md:13: .*'nam' does not exist/);
  });

  it("reports a name that the package does not export", () => {
    expect(typeErrors([block('import { Nothing } from "flower-agents";')])[0]).toMatch(/^a\.md:11: .*Nothing/);
  });

  it("takes as given what the comment before a block says, and counts lines without it", () => {
    expect(typeErrors([block("const text: string = n;", "declare const n: string;")])).toEqual([]);
    expect(typeErrors([block("const text: string = n;", "declare const n: number;")])[0]).toMatch(/^a\.md:11:/);
  });

  it("sees a program that fails", async () => {
    const { exitCode, stderr } = await runExample(block('throw new Error("broken");'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain("broken");
  });
});
